// ONNX Runtime's JavaScript packages as a program of the serve protocol (docs/serve-protocol.md):
//
//     node onnxruntime.mjs PACKAGE PROVIDER
//
// PACKAGE is the folder of onnxruntime-node or onnxruntime-web, PROVIDER an execution provider of it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { endianness } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const [folder, provider] = process.argv.slice(2);
let ort; // the package, once it is loaded

// Elements of a tensor by its type; those of float16 are kept as their bits.
const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
};

// What ONNX Runtime says where a provider lacks a node: of the node's validity it says nothing.
const NOT_IMPLEMENTED = /NOT_IMPLEMENTED|ERROR_CODE: 9\b|Could not find an implementation|fallback to CPU EP has been/;

const OPTIONS = {
  executionProviders: [provider],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 4, // fatal errors only; the others are answers
  extra: { session: { disable_cpu_ep_fallback: provider === "webgpu" ? "1" : "0" } },
};

function load() {
  if (endianness() !== "LE") {
    throw new Error("the processor is big-endian, but typed arrays must be little-endian here");
  }
  const loaded = createRequire(import.meta.url)(resolve(folder));
  loaded.env.wasm.numThreads = 1;
  return loaded;
}

// A model of one Relu. It shows at the start whether the provider finds its device.
const PROBE =
  "CAcSADo3CgwKAXgSAXkiBFJlbHUSBXByb2JlWg8KAXgSCgoICAESBAoCCAFiDwoBeRIKCggIARIECgIIAUIECgAQDg==";

async function describe() {
  const session = await ort.InferenceSession.create(bytes(PROBE), OPTIONS);
  await session.release();
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return {
    type: "description",
    name: provider === "webgpu" ? `${name}-webgpu` : name,
    versions: { [name]: version, node: process.versions.node },
    settings: { provider, threads: "1" },
  };
}

async function run(request) {
  const unknown = request.case.inputs.find((tensor) => !(tensor.dtype in ARRAYS));
  if (unknown) {
    return refused(`ONNX Runtime's JavaScript has no tensors of ${unknown.dtype}`, "unsupported");
  }
  const fed = request.case.inputs.filter((tensor) => !request.case.constants.includes(tensor.name));
  const feeds = Object.fromEntries(fed.map((tensor) => [tensor.name, toTensor(tensor)]));
  let session;
  try {
    session = await ort.InferenceSession.create(bytes(request.model), OPTIONS);
    const outputs = await session.run(feeds);
    return { type: "ran", outputs: request.case.outputs.map((name) => fromTensor(name, outputs[name])) };
  } catch (error) {
    if (error.constructor !== Error) {
      throw error;
    }
    return refused(error.message, NOT_IMPLEMENTED.test(error.message) ? "unsupported" : "");
  } finally {
    await session?.release();
  }
}

function refused(message, kind) {
  return { type: "refused", message: message.split(/\s+/).join(" ").trim(), kind };
}

function toTensor({ dtype, shape, data }) {
  return new ort.Tensor(dtype, new ARRAYS[dtype](bytes(data).buffer), shape);
}

function fromTensor(name, { type, dims, data }) {
  const base64 = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  return { name, dtype: type, shape: dims, data: base64 };
}

// A copy with a buffer of its own, aligned for any element.
function bytes(base64) {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

async function answer(request) {
  try {
    ort ??= load();
    return request.type === "describe" ? await describe() : await run(request);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) {
      console.error(`${error}`); // the module is in no state to go on
      process.exit(1);
    }
    return { type: "raised", exception: error.constructor.name, message: error.message };
  }
}

async function main() {
  console.log = console.error; // standard output is for answers alone
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const { type, ...rest } = await answer(request);
    process.stdout.write(`${JSON.stringify({ type, id: request.id, ...rest })}\n`);
  }
}

await main();
