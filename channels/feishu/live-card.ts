import {
  ChannelFailure,
  isRefusal,
  type JSONValue,
  type LiveMessage,
  type OutboundMessage,
  toFilledText,
  toWellFormedJSON,
} from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { createCard, createStreamingCard, createSummary, TEXT_ELEMENT, toCardMarkdown } from './card.ts'
import { deliver } from './delivery.ts'
import type { Target } from './inbound-message.ts'
import { MARKUP_REFUSALS } from './refusal-codes.ts'

/** The reference with which another process continues a card. */
type Reference = { card_id: string; message_id: string; begun_at: number }

/** The code for a missing permission for streaming cards. */
const MISSING_SCOPE: ReadonlySet<number> = new Set([99991672])

/**
 * Codes for a text that cannot be changed alone: streaming has ended after a long pause, after ten minutes, or because it
 * was finished; the element is unknown or of another kind.
 */
const STREAM_OVER: ReadonlySet<number> = new Set([200850, 300309, 300310, 300313])

/** Codes for settings that are refused: of an unclear form, or for no stated reason. */
const SETTINGS_REFUSALS: ReadonlySet<number> = new Set([10002, 300122])

const OUT_OF_SEQUENCE: ReadonlySet<number> = new Set([300317])

/**
 * Increments of the sequence if another process is ahead, by its clock or by such increments of its own. In steps of
 * ten milliseconds: 10 s, 80 s, 11 minutes, 85 minutes.
 */
const CATCH_UP_STEPS = [1000, 8000, 64_000, 512_000]

/** Number of remembered cards whose message may not have been sent. */
const MAX_UNSENT = 100

/** Creates live messages: each is a card that is sent once and whose text is changed. */
export function createLiveCards(api: FeishuApi) {
  // A message that is repeated with its key may exist already; then it shows the card of the first attempt.
  const unsent = new Map<string, Reference>()

  async function createCard({ text, key }: OutboundMessage, signal: AbortSignal) {
    const unsentCard = unsent.get(key)
    if (unsentCard) return unsentCard
    const body = { type: 'card_json', data: toWellFormedJSON(createStreamingCard(text)) }
    const { data } = await api.call({ method: 'POST', path: 'cardkit/v1/cards', body }, signal)
    const card_id = toFilledText(data?.card_id)
    if (!card_id) throw new ChannelFailure('unknown', 'Feishu returned no id for the card.')
    const created: Reference = { card_id, message_id: '', begun_at: Date.now() }
    unsent.set(key, created)
    if (unsent.size > MAX_UNSENT) unsent.delete(unsent.keys().next().value!)
    return created
  }

  return async (
    target: JSONValue,
    message: OutboundMessage,
    signal: AbortSignal,
    begun?: JSONValue,
  ): Promise<LiveMessage> => {
    if (begun) {
      const resumed = createLiveCard(api, begun as Reference)
      await resumed.update(message.text, signal)
      return resumed
    }
    try {
      const card = await createCard(message, signal)
      const content = { type: 'card', data: { card_id: card.card_id } }
      const parcel = { msg_type: 'interactive', content, key: message.key } as const
      const message_id = await deliver(api, target as Target, parcel, signal)
      unsent.delete(message.key)
      return createLiveCard(api, { ...card, message_id })
    } catch (error) {
      if (!isRefusal(error, MISSING_SCOPE) && !isRefusal(error, MARKUP_REFUSALS)) throw error
      throw new ChannelFailure('unsupported', (error as Error).message, { cause: error })
    }
  }
}

/** Creates a changeable card. The sequence of changes comes from the clock, so that it increases in every process. */
function createLiveCard(api: FeishuApi, reference: Reference): LiveMessage {
  const path = `cardkit/v1/cards/${encodeURIComponent(reference.card_id)}`
  let last = 0
  let isStreaming = true
  let isPlain = false
  let isFinished = false

  /** Returns the next sequence. Ten changes per second are allowed, so steps of 10 ms never run out. */
  const nextSequence = () => Math.max(last + 1, Math.floor((Date.now() - reference.begun_at) / 10) + 1)

  async function change(
    method: 'PUT' | 'PATCH',
    part: string,
    body: object,
    signal: AbortSignal,
  ): Promise<void> {
    const attempt = (sequence: number) => {
      last = sequence
      return api.call({ method, path: `${path}${part}`, body: { ...body, sequence } }, signal)
    }
    for (const steps of [0, ...CATCH_UP_STEPS]) {
      try {
        await attempt(nextSequence() + steps)
        return
      } catch (error) {
        if (!isRefusal(error, OUT_OF_SEQUENCE) || steps === CATCH_UP_STEPS.at(-1)) throw error
      }
    }
  }

  const replaceCard = (text: string, signal: AbortSignal) => {
    const card = { type: 'card_json', data: toWellFormedJSON(createCard(text, { plain: isPlain })) }
    return change('PUT', '', { card }, signal)
  }

  async function show(text: string, signal: AbortSignal): Promise<void> {
    try {
      if (isStreaming)
        return await change(
          'PUT',
          `/elements/${TEXT_ELEMENT}/content`,
          { content: toCardMarkdown(text) },
          signal,
        )
      return await replaceCard(text, signal)
    } catch (error) {
      const isOver = isStreaming && isRefusal(error, STREAM_OVER)
      const isUnreadable = !isPlain && isRefusal(error, MARKUP_REFUSALS)
      if (!isOver && !isUnreadable) throw error
      isStreaming = false
      isPlain ||= isUnreadable
    }
    // A whole card can be replaced at any time.
    await replaceCard(text, signal)
  }

  /** Ends the streaming; a card whose settings cannot be changed is replaced. */
  async function endStreaming(text: string, signal: AbortSignal): Promise<void> {
    const config = { streaming_mode: false, summary: createSummary(text) }
    try {
      await change('PATCH', '/settings', { settings: toWellFormedJSON({ config }) }, signal)
    } catch (error) {
      if (isRefusal(error, STREAM_OVER)) return
      if (!isRefusal(error, SETTINGS_REFUSALS)) throw error
      await replaceCard(text, signal)
    }
  }

  return {
    reference: reference satisfies JSONValue,

    update: (text, signal) => (isFinished ? Promise.resolve() : show(text, signal)),

    async finish(text, signal) {
      if (isFinished) return
      await show(text, signal)
      if (isStreaming) await endStreaming(text, signal)
      isFinished = true
    },
  }
}
