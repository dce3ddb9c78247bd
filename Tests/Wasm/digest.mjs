// Loads the wasm module and applies a log recorded on the host to an empty canvas. The log's commits carry the digests
// that the host computed; the module must come to the same.
//   node digest.mjs MODULE LOG

import { readFileSync } from "node:fs";

const [modulePath, logPath] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(modulePath));
const log = readFileSync(logPath);

let failures = 0;
function check(holds, sentence) {
    if (holds) return;
    failures += 1;
    console.error(`wasm: ${sentence}`);
}

function instantiate(seed) {
    const { exports } = new WebAssembly.Instance(module, {});
    exports.easel_seed_hashing(seed);
    return exports;
}

// What easel_apply_log answers below zero.
const refusals = { "-1": "the bytes are not a log", "-2": "a digest differs from the one the host recorded" };

// Copies the log in and applies it; gives the number of commits and the last digest.
function applyLog(exports, bytes) {
    const input = exports.easel_allocate(bytes.length);
    const output = exports.easel_allocate(8);
    new Uint8Array(exports.memory.buffer).set(bytes, input >>> 0);
    const count = exports.easel_apply_log(input, bytes.length, output);
    // Memory may have grown: views made before the call are void.
    const digest = new DataView(exports.memory.buffer).getBigUint64(output >>> 0, true);
    exports.easel_free(output);
    exports.easel_free(input);
    return count > 0 ? { count, digest } : { count: 0, sentence: refusals[count] ?? "the log is empty" };
}

function bigEndian(digest) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(digest);
    return bytes;
}

const imports = WebAssembly.Module.imports(module).map((each) => `${each.module}.${each.name}`);
check(imports.length === 0, `the module asks its host for ${imports.join(", ")}; pure code needs nothing`);

if (failures === 0) {
    // Another seed gives every dictionary and set another order, which nothing may depend on.
    for (const seed of [0n, 1n, 0xfeedn, 2n ** 63n - 1n]) {
        const { count, sentence } = applyLog(instantiate(seed), log);
        check(count > 0, `with hash seed ${seed}: ${sentence}`);
    }
    const exports = instantiate(0n);
    check(applyLog(exports, log.subarray(0, log.length - 1)).count === 0, "a log cut short was accepted");
    // A digest is the second field of a commit: change one bit of the last commit's and the module must notice.
    const { digest } = applyLog(exports, log);
    const forged = Buffer.from(log);
    const place = forged.lastIndexOf(bigEndian(digest));
    check(place > 0, "the log's last digest is not found in the log");
    forged[place] ^= 1;
    check(applyLog(exports, forged).count === 0, "a log with a wrong digest was accepted");
    for (let round = 0; round < 50; round += 1) applyLog(exports, log);
    const size = exports.memory.buffer.byteLength;
    for (let round = 0; round < 50; round += 1) applyLog(exports, log);
    check(exports.memory.buffer.byteLength === size, "memory grows though the log is applied to a fresh canvas each time");
}

if (failures === 0) {
    const { count, digest } = applyLog(instantiate(0n), log);
    const kibibytes = Math.round(readFileSync(modulePath).length / 1024);
    console.log(`wasm: ${count} commits, digest ${digest.toString(16)} as on the host; ${kibibytes} KiB, no imports`);
}
process.exit(failures === 0 ? 0 : 1);
