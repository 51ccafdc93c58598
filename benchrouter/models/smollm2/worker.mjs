// The child process that holds the model. Lines of JSON come in on stdin and go out on stdout, one request at a time:
//   in   {"id", "messages": [{"role", "content"}], "max_tokens", "sampling": {...}, "stop": [...], "grammar", "lane"}
//        {"cancel": id}
//   out  {"ready": {...}}, then per request {"id", "prompt_tokens"}, {"id", "text"} ..., {"id", "done": {...}}
//        or {"id", "error": {"status", "message", "code"}}
// What goes to stderr is the log. The end of stdin means that our parent is gone, however it ended: so are we, at once.
import {createInterface} from "node:readline";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

// Chunks of a prompt that are kept for the next one begin at multiples of this. An answer must not depend on what was
// asked before, and the same tokens in other batches give other last bits: so a chunk is reused whole or not at all.
const CHUNK = 128;

const config = JSON.parse(process.argv[2]);
const requests = [];
let wake = () => {};
let running = null;
let kept = 0; // tokens at the beginning of the context that were evaluated as whole chunks

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const note = (text) => process.stderr.write(`${new Date().toISOString()} ${text}\n`);

createInterface({input: process.stdin}).on("line", (line) => {
    const request = JSON.parse(line);
    if (request.cancel !== undefined) {
        if (running?.id === request.cancel) running.cancelled = true;
        return;
    }
    requests.push(request);
    wake();
}).on("close", () => process.kill(process.pid, "SIGKILL"));

const library = join(config.directory, "node_modules", "node-llama-cpp", "dist", "index.js");
const {getLlama, LlamaGrammarEvaluationState} = await import(pathToFileURL(library).href);
const llama = await getLlama({
    gpu: config.gpu, build: "never", skipDownload: true, progressLogs: false, maxThreads: config.threads
});
const model = await llama.loadModel({modelPath: config.weights});
const context = await model.createContext({
    contextSize: config.context, threads: config.threads, batchSize: CHUNK, sequences: 1, flashAttention: false
});
const sequence = context.getSequence({contextShift: {strategy: () => { throw new Error("the context is full"); }}});
say({ready: {node: process.version, llama: llama.llamaCppRelease.release, system: llama.systemInfo.trim()}});

// The template of the model (ChatML). Only its own marks become special tokens, never what a message says.
function tokens(messages) {
    const mark = (text) => model.tokenize(text, true);
    const text = (text) => model.tokenize(text, false);
    const said = messages.flatMap(({role, content}) => [
        ...mark("<|im_start|>"), ...text(`${role}\n${content}`), ...mark("<|im_end|>"), ...text("\n")
    ]);
    return [...said, ...mark("<|im_start|>"), ...text("assistant\n")];
}

async function answer(request) {
    const began = Date.now();
    const prompt = tokens(request.messages);
    const room = config.context - prompt.length - 1;
    if (room < 1) {
        const message = `This model's context is ${config.context} tokens, the request has ${prompt.length}.`;
        say({id: request.id, error: {status: 400, message, code: "context_length_exceeded"}});
        return;
    }
    say({id: request.id, prompt_tokens: prompt.length});
    note(`request ${request.id} ${request.lane}: prompt ${prompt.length}`);
    const reused = await load(prompt, request);
    const out = {tokens: [], finish: "length"};
    if (!request.cancelled) await generate(request, prompt.slice(kept), Math.min(request.max_tokens, room), out);
    const finish = request.cancelled ? "cancelled" : out.finish;
    const seconds = ((Date.now() - began) / 1000).toFixed(2);
    note(`request ${request.id} ${request.lane}: ${reused} kept, answer ${out.tokens.length}, ${seconds} s, ${finish}`);
    say({id: request.id, done: {finish, prompt_tokens: prompt.length, completion_tokens: out.tokens.length}});
}

// Evaluate all of the prompt but its last chunk; what the context holds of it already, in whole chunks, stays.
async function load(prompt, request) {
    const {firstDifferentIndex: same} = sequence.compareContextTokens(prompt);
    const reused = Math.floor(Math.min(same, kept, prompt.length - 1) / CHUNK) * CHUNK;
    await sequence.eraseContextTokenRanges([{start: reused, end: sequence.nextTokenIndex}]);
    kept = reused;
    while (kept + CHUNK < prompt.length && !request.cancelled) {
        await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(kept, kept + CHUNK));
        kept += CHUNK;
    }
    return reused;
}

async function generate(request, rest, most, out) {
    const options = {...request.sampling};
    if (request.grammar) {
        const grammar = await llama.createGrammar({grammar: request.grammar});
        options.grammarEvaluationState = new LlamaGrammarEvaluationState({model, grammar});
    }
    if (request.penalties)
        options.repeatPenalty = {
            punishTokens: () => out.tokens, maxPunishTokens: most, penalty: 1,
            frequencyPenalty: request.penalties.frequency, presencePenalty: request.penalties.presence
        };
    const text = new Text(request.stop, (piece) => say({id: request.id, text: piece}));
    out.finish = "stop";
    for await (const token of sequence.evaluate(rest, options)) {
        if (request.cancelled) return;
        out.tokens.push(token);
        if (text.add(token)) break;
        if (out.tokens.length >= most) {
            out.finish = "length";
            break;
        }
    }
    text.end();
}

// Text as it grows: whole characters only, and nothing of a stop text, nor of what may become one.
class Text {
    constructor(stops, tell) {
        this.stops = stops;
        this.tell = tell;
        this.pending = []; // tokens that end within a character
        this.text = "";
        this.told = 0;
        this.stopped = false;
    }

    // Add a token; tell whether a stop text is complete.
    add(token) {
        this.pending.push(token);
        const piece = model.detokenize(this.pending, false);
        if (piece.endsWith("\ufffd") && this.pending.length < 8) return false;
        this.pending = [];
        this.text += piece;
        const found = this.stops.map((stop) => this.text.indexOf(stop)).filter((at) => at >= 0);
        if (found.length > 0) {
            this.stopped = true;
            this.text = this.text.slice(0, Math.min(...found));
        }
        this.show(this.text.length - (this.stopped ? 0 : this.held()));
        return this.stopped;
    }

    end() {
        if (this.stopped) return;
        this.text += model.detokenize(this.pending, false);
        this.show(this.text.length);
    }

    // Count the characters at the end that a stop text may begin with.
    held() {
        const longest = Math.max(0, ...this.stops.map((stop) => stop.length - 1));
        for (let count = Math.min(longest, this.text.length); count > 0; count--) {
            const tail = this.text.slice(-count);
            if (this.stops.some((stop) => stop.startsWith(tail))) return count;
        }
        return 0;
    }

    show(upTo) {
        if (upTo > this.told) this.tell(this.text.slice(this.told, upTo));
        this.told = Math.max(this.told, upTo);
    }
}

for (;;) {
    while (requests.length === 0) await new Promise((resolve) => { wake = resolve; });
    running = requests.shift();
    try {
        await answer(running);
    } catch (error) {
        note(`request ${running.id}: ${error.stack}`);
        kept = 0;
        say({id: running.id, error: {status: 500, message: error.message, code: null}});
    }
    running = null;
}
