/** Makes a WAV file of a moment of silence. */
function makeSilence(): Blob {
  const samples = 400
  const view = new DataView(new ArrayBuffer(44 + samples))
  const write = (offset: number, text: string) => {
    for (let index = 0; index < text.length; index += 1) view.setUint8(offset + index, text.charCodeAt(index))
  }
  write(0, 'RIFF')
  view.setUint32(4, 36 + samples, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  for (const [offset, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    view.setUint16(offset, value, true)
  for (const offset of [24, 28]) view.setUint32(offset, 8000, true)
  write(36, 'data')
  view.setUint32(40, samples, true)
  for (let index = 44; index < 44 + samples; index += 1) view.setUint8(index, 128)
  return new Blob([view.buffer], { type: 'audio/wav' })
}

/** Plays one file; rejects if the browser cannot play it, and when the signal is aborted. */
async function play(audio: HTMLAudioElement, file: Blob, signal: AbortSignal): Promise<void> {
  const address = URL.createObjectURL(file)
  try {
    await new Promise<void>((resolve, reject) => {
      const listening = new AbortController()
      const settle = (action: () => void) => () => {
        listening.abort()
        action()
      }
      const { signal: until } = listening
      audio.addEventListener('ended', settle(resolve), { signal: until })
      audio.addEventListener(
        'error',
        settle(() => reject(audio.error)),
        { signal: until },
      )
      signal.addEventListener(
        'abort',
        settle(() => reject(signal.reason)),
        { signal: until },
      )
      signal.throwIfAborted()
      audio.src = address
      audio.play().catch(settle(() => reject(signal.aborted ? signal.reason : new Error('not played'))))
    })
  } finally {
    audio.pause()
    URL.revokeObjectURL(address)
  }
}

/** Ends what the page plays. */
let stopCurrent: (() => void) | undefined

/**
 * Plays pieces one after the other, each of which `load` fetches while the one before it is played. Only one call plays at
 * a time: it ends the one before it. Resolves at the end, also if it was stopped; rejects if a piece cannot be had.
 */
export async function playPieces(
  pieces: readonly string[],
  load: (piece: string, signal: AbortSignal) => Promise<Blob>,
  stopping: AbortController,
): Promise<void> {
  stopCurrent?.()
  const stop = () => stopping.abort()
  stopCurrent = stop
  const { signal } = stopping
  const audio = new Audio()
  try {
    const fetchPiece = (index: number) => {
      const loading = load(pieces[index]!, signal)
      // Reported when it is its turn.
      loading.catch(() => undefined)
      return loading
    }
    let next = fetchPiece(0)
    // Within the click: some browsers let an element play later only if it has played then.
    await play(audio, makeSilence(), signal).catch(() => undefined)
    for (let index = 0; index < pieces.length; index += 1) {
      const file = await next
      if (index + 1 < pieces.length) next = fetchPiece(index + 1)
      await play(audio, file, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    stopping.abort()
    if (stopCurrent === stop) stopCurrent = undefined
  }
}
