import { ChannelFailure, type JSONValue, type LiveMessage, type OutboundMessage } from '#plugin-api'
import type { FeishuApi } from './api.ts'
import { cardOf, markdownOf, streamingCardOf, summaryOf, TEXT_ELEMENT } from './card.ts'
import { deliver } from './delivery.ts'
import { isRefusal, MARKUP_REFUSALS } from './failure.ts'
import type { Target } from './inbound-message.ts'
import { textOf } from './reply.ts'

/** What another process needs to go on with a card. */
type Reference = { card_id: string; message_id: string; begun_at: number }

/** No permission for cards that stream. */
const MISSING_SCOPE: ReadonlySet<number> = new Set([99991672])

/** The platform has stopped the streaming: it was still for too long, or went on for ten minutes, or is finished. */
const STREAM_OVER: ReadonlySet<number> = new Set([200850, 300309])

const OUT_OF_SEQUENCE: ReadonlySet<number> = new Set([300317])

/**
 * By how much a sequence rises where another process is ahead: by its clock, or by what it added for that itself.
 * Steps of ten milliseconds: 10 s, 80 s, 11 minutes, 85 minutes.
 */
const CATCHING_UP = [1000, 8000, 64_000, 512_000]

/** How many cards are remembered that were made, though nobody knows whether their message was sent. */
const MAX_UNSENT = 100

/** Opens live messages: cards of their own, sent once, whose text is changed. */
export function createLiveCards(api: FeishuApi) {
  // A message that is sent again under its key may be there already, and then it shows the card that it was sent with.
  const unsent = new Map<string, Reference>()

  async function createCard({ text, key }: OutboundMessage, signal: AbortSignal) {
    const known = unsent.get(key)
    if (known) return known
    const body = { type: 'card_json', data: JSON.stringify(streamingCardOf(text)) }
    const { data } = await api.call({ method: 'POST', path: 'cardkit/v1/cards', body }, signal)
    const card_id = textOf(data?.card_id)
    if (!card_id) throw new ChannelFailure('unknown', 'Feishu gave no id for the card.')
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

/** A card that may be changed; the sequence of its changes comes from the clock, so that it rises in every process. */
function createLiveCard(api: FeishuApi, reference: Reference): LiveMessage {
  const path = `cardkit/v1/cards/${encodeURIComponent(reference.card_id)}`
  let last = 0
  let isStreaming = true
  let isPlain = false
  let isFinished = false

  /** At most ten changes a second are allowed, so steps of 10 ms are never used up. */
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
    for (const steps of [0, ...CATCHING_UP]) {
      try {
        await attempt(nextSequence() + steps)
        return
      } catch (error) {
        if (!isRefusal(error, OUT_OF_SEQUENCE) || steps === CATCHING_UP.at(-1)) throw error
      }
    }
  }

  const replaceCard = (text: string, signal: AbortSignal) => {
    const card = { type: 'card_json', data: JSON.stringify(cardOf(text, { plain: isPlain })) }
    return change('PUT', '', { card }, signal)
  }

  async function show(text: string, signal: AbortSignal): Promise<void> {
    try {
      if (isStreaming)
        return await change('PUT', `/elements/${TEXT_ELEMENT}/content`, { content: markdownOf(text) }, signal)
      return await replaceCard(text, signal)
    } catch (error) {
      const isOver = isStreaming && isRefusal(error, STREAM_OVER)
      const isUnreadable = !isPlain && isRefusal(error, MARKUP_REFUSALS)
      if (!isOver && !isUnreadable) throw error
      isStreaming = false
      isPlain ||= isUnreadable
    }
    // A card as a whole can be replaced at any time.
    await replaceCard(text, signal)
  }

  return {
    reference: reference satisfies JSONValue,

    update: (text, signal) => (isFinished ? Promise.resolve() : show(text, signal)),

    async finish(text, signal) {
      if (isFinished) return
      await show(text, signal)
      if (isStreaming) {
        const config = { streaming_mode: false, summary: summaryOf(text) }
        await change('PATCH', '/settings', { settings: JSON.stringify({ config }) }, signal).catch(
          toleratesEnd,
        )
      }
      isFinished = true
    },
  }
}

/** A stream that is over already needs no ending. */
function toleratesEnd(error: unknown): void {
  if (!isRefusal(error, STREAM_OVER)) throw error
}
