// Undo with others, in one process and without a server. The article of that name in EaselClient.docc quotes this program
// and what it prints.

var story = try Story()
try story.restoreMine()
try story.perProperty()
try story.yield()
try story.deleteHides()
try story.passOver()
try story.sayWhy()
try OnePerson.play()
