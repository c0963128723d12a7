import type { MountSlot } from '#plugin-api/console'
import { createIconButton } from './elements.ts'
import { playPieces } from './player.ts'
import { toSpokenPieces } from './spoken-text.ts'
import { wordsOf } from './words.ts'

/** Adds a button to answers that reads their words aloud. */
const mount: MountSlot = (element, initial) => {
  let context = initial
  let reading: AbortController | undefined
  let isAvailable = true
  let pieces = toSpokenPieces(context.text ?? '')

  const button = createIconButton(() => void (reading ? stop() : read()))

  const render = () => {
    const words = wordsOf(context)
    button.show(reading ? 'square' : 'speaker', reading ? words.stop : words.read)
    button.element.setAttribute('aria-pressed', String(reading !== undefined))
    const isShown = isAvailable && (reading !== undefined || pieces.length > 0)
    if (!isShown) button.element.remove()
    else if (!button.element.isConnected) element.append(button.element)
  }

  const stop = () => {
    reading?.abort()
    reading = undefined
    render()
  }

  const load = async (text: string, signal: AbortSignal): Promise<Blob> =>
    (await context.request('POST', '/speech', { text }, { signal })) as Blob

  const read = async () => {
    const own = new AbortController()
    reading = own
    render()
    try {
      await playPieces(pieces, load, own)
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string }
      context.toast(typeof code === 'string' ? message : wordsOf(context).unplayable)
    }
    if (reading === own) stop()
  }

  render()

  return {
    update(next) {
      // Another version of the answer is shown in its place.
      if (next.message_id !== context.message_id) stop()
      if (next.text !== context.text) pieces = toSpokenPieces(next.text ?? '')
      context = next
      render()
    },
    unmount() {
      isAvailable = false
      stop()
    },
  }
}

export default mount
