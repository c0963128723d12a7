import type { LiveMessage, OutboundMessage } from '#plugin-api'
import type { Messages } from './messages.ts'
import type { Posted, Target } from './target.ts'

/** Posts a live message, or continues one that was posted before. */
export async function beginLive(
  messages: Messages,
  { target, message, begun }: { target: Target; message: OutboundMessage; begun: Posted | undefined },
  signal: AbortSignal,
  until: (signal: AbortSignal) => AbortSignal,
): Promise<LiveMessage> {
  const posted = begun ?? (await messages.post(target, message, until(signal)))
  let shown = begun ? undefined : message.text
  const show = async (text: string, signal: AbortSignal) => {
    if (text === shown) return
    await messages.change(posted, text, until(signal))
    shown = text
  }
  return { reference: posted, update: show, finish: show }
}
