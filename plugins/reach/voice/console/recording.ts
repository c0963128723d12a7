/** The formats of recordings, the smallest first; the browser's own if it supports none of them. */
const FORMATS = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus']
/** Enough for words. */
const BITS_PER_SECOND = 32_000

/** A recording in progress. */
export interface Recording {
  /** Returns the seconds that were recorded until now. */
  seconds(): number
  /** Stops recording; what was recorded stays. */
  pause(): void
  /** Ends the recording and returns it. */
  finish(): Promise<Blob>
  /** Ends the recording and drops it. */
  cancel(): void
}

/** The reason for which nothing can be recorded. */
export type RecordingProblem = 'insecure' | 'denied' | 'no_microphone' | 'busy'

/** True if the browser can record at all. */
export const canRecord = (): boolean => typeof MediaRecorder === 'function'

/** Names the reason of an error of `startRecording`. */
export function readProblem(error: unknown): RecordingProblem {
  const { name } = error as Partial<Error>
  if (name === 'InsecureError') return 'insecure'
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'no_microphone' : 'busy'
}

/** Asks the person for the microphone and begins to record; `onEnd` is called if the microphone is taken away. */
export async function startRecording(onEnd: () => void): Promise<Recording> {
  // Browsers hide the microphone from pages whose address is not secure.
  if (!navigator.mediaDevices?.getUserMedia)
    throw Object.assign(new Error('the address is not secure'), { name: 'InsecureError' })
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const mimeType = FORMATS.find((format) => MediaRecorder.isTypeSupported(format))
  const recorder = new MediaRecorder(stream, {
    audioBitsPerSecond: BITS_PER_SECOND,
    ...(mimeType && { mimeType }),
  })
  const pieces: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => void pieces.push(data))
  for (const track of stream.getTracks()) track.addEventListener('ended', onEnd)
  const release = () => {
    for (const track of stream.getTracks()) {
      track.removeEventListener('ended', onEnd)
      track.stop()
    }
  }
  let resumedAt = performance.now()
  let recordedMs = 0
  const stopClock = () => {
    if (recorder.state === 'recording') recordedMs += performance.now() - resumedAt
  }
  try {
    recorder.start()
    resumedAt = performance.now()
  } catch (error) {
    release()
    throw error
  }
  return {
    seconds: () => (recordedMs + (recorder.state === 'recording' ? performance.now() - resumedAt : 0)) / 1000,
    pause() {
      stopClock()
      if (recorder.state === 'recording') recorder.pause()
    },
    async finish() {
      stopClock()
      if (recorder.state !== 'inactive') {
        const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }))
        recorder.stop()
        await stopped
      }
      release()
      return new Blob(pieces, { type: recorder.mimeType || pieces[0]?.type || '' })
    },
    cancel() {
      if (recorder.state !== 'inactive') recorder.stop()
      release()
    },
  }
}
