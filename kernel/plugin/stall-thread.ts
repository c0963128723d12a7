// The thread of `watchStalls`: it sends the URLs of the running code while the main thread's signs of life are missing.
import { Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'

const STALL_MS = 1000
const LOOK_MS = 100

// The number of signs of life, and 1 if a debugger may hold the main thread at a breakpoint.
const beats = new Int32Array(workerData as SharedArrayBuffer)
let last = -1
let since = performance.now()
let isReported = false

const looking = setInterval(() => {
  const beat = Atomics.load(beats, 0)
  if (beat !== last) {
    last = beat
    since = performance.now()
    isReported = false
  } else if (!isReported && !Atomics.load(beats, 1) && performance.now() - since > STALL_MS) {
    isReported = true
    look()
  }
}, LOOK_MS)

parentPort!.once('message', () => clearInterval(looking))

/** Stops the main thread for a moment, wherever it is. */
function look(): void {
  const session = new Session()
  session.connectToMainThread()
  const urls = new Map<string, string>()
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url))
  session.on('Debugger.paused', ({ params }) => {
    session.post('Debugger.resume', () => session.disconnect())
    parentPort!.postMessage(params.callFrames.map(({ location }) => urls.get(location.scriptId)))
  })
  session.post('Debugger.enable')
  session.post('Debugger.pause')
}
