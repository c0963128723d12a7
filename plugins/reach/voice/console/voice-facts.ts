import type { SlotContext } from '#plugin-api/console'

/** The models that an administrator has chosen. */
interface VoiceFacts {
  transcription: boolean
  speech: boolean
}

/** The time after which a page asks again, in milliseconds. */
const VALID_MS = 60_000

let latest: { facts: Promise<VoiceFacts>; readAt: number } | undefined

/** Reads what the server can do, once for all messages of a page; nothing if it does not answer. */
export async function readVoiceFacts({ request }: Pick<SlotContext, 'request'>): Promise<VoiceFacts> {
  if (!latest || performance.now() - latest.readAt > VALID_MS)
    latest = { facts: request('GET', '/voice') as Promise<VoiceFacts>, readAt: performance.now() }
  const answer = latest
  try {
    return await answer.facts
  } catch {
    if (latest === answer) latest = undefined
    return { transcription: false, speech: false }
  }
}
