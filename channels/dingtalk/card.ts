import { randomUUID } from 'node:crypto'
import {
  ChannelFailure,
  createRecentSet,
  isRefusal,
  type JSONValue,
  type LiveMessage,
  type Logger,
  type OutboundMessage,
  toObject,
  toObjects,
} from '#plugin-api'
import type { Api } from './api.ts'
import { DEFAULT_TEMPLATE_KEY, type DingtalkConfig } from './config.ts'
import { CARD_EXISTS, TEMPLATE_REFUSALS } from './refusal-codes.ts'
import type { Target } from './sending.ts'

/** Number of delivered cards that are remembered, so that a repeated begin does not deliver a card twice. */
const MAX_REMEMBERED = 100

/** A template that was refused is not used for this long. */
const UNUSABLE_MS = 10 * 60_000

const ALREADY_THERE: ReadonlySet<string> = new Set([CARD_EXISTS])

/** Creates live messages from AI cards, for which an app needs a template. */
export function createCards({
  api,
  config,
  templateId,
  log,
}: {
  api: Api
  config: DingtalkConfig
  templateId: string
  log: Logger
}) {
  const key = config.card_template_key ?? DEFAULT_TEMPLATE_KEY
  const delivered = createRecentSet(MAX_REMEMBERED)
  let unusable: { until: number; message: string } | undefined

  /** Makes the calls that begin a card; a refusal of its template holds for the next cards, too. */
  async function withTemplate(begin: () => Promise<void>): Promise<void> {
    if (unusable && Date.now() < unusable.until) throw new ChannelFailure('unsupported', unusable.message)
    try {
      await begin()
    } catch (error) {
      if (!isRefusal(error, TEMPLATE_REFUSALS)) throw error
      const { message } = error
      unusable = { until: Date.now() + UNUSABLE_MS, message }
      log.warn({ detail: message }, 'the card template cannot be used, so answers are sent as messages')
      throw new ChannelFailure('unsupported', message, { cause: error })
    }
  }

  async function deliver(card: string, target: Target, signal: AbortSignal): Promise<void> {
    const { type, conversation, robot, staff } = target
    if (type === 'direct' && !staff)
      throw new ChannelFailure(
        'unsupported',
        'DingTalk does not show cards to people outside the organization.',
      )
    const create = {
      cardTemplateId: templateId,
      outTrackId: card,
      callbackType: 'STREAM',
      cardData: { cardParamMap: { [key]: '' } },
      imGroupOpenSpaceModel: { supportForward: true },
      imRobotOpenSpaceModel: { supportForward: true },
    }
    try {
      await api.call('/v1.0/card/instances', { body: create, signal }, 'the card template')
    } catch (error) {
      if (!isRefusal(error, ALREADY_THERE)) throw error
    }
    const space =
      type === 'group'
        ? {
            openSpaceId: `dtv1.card//IM_GROUP.${conversation}`,
            imGroupOpenDeliverModel: { robotCode: robot },
          }
        : {
            openSpaceId: `dtv1.card//IM_ROBOT.${staff}`,
            imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode: robot },
          }
    const body = { outTrackId: card, userIdType: 1, ...space }
    const { result } = await api.call('/v1.0/card/instances/deliver', { body, signal }, 'the card')
    const results = toObjects(toObject(result).deliverResults ?? result)
    if (results.length === 0 || results.some(({ success }) => success !== true))
      throw new ChannelFailure(
        'forbidden',
        'DingTalk did not deliver the card: the robot may not write there.',
      )
    delivered.add(card)
  }

  async function stream(
    card: string,
    content: string,
    { guid, isFinalize }: { guid: string; isFinalize: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const body = { outTrackId: card, guid, key, content, isFull: true, isFinalize, isError: false }
    const what = `the text of the card, whose template must have the variable "${key}"`
    await api.call('/v1.0/card/streaming', { method: 'PUT', body, signal }, what)
  }

  return async (
    target: Target,
    message: OutboundMessage,
    signal: AbortSignal,
    begun?: JSONValue,
  ): Promise<LiveMessage> => {
    // Derived from the key, so that a repeated begin uses the same card.
    const card = begun ? (begun as { card: string }).card : `svc_${message.key}`
    let isFinished = false
    const update = (text: string, until: AbortSignal) =>
      stream(card, text, { guid: randomUUID(), isFinalize: false }, until)
    // A card that another process began may be finished already; an update would reopen it.
    if (!begun)
      await withTemplate(async () => {
        if (!delivered.has(card)) await deliver(card, target, signal)
        await update(message.text, signal)
      })

    return {
      reference: { card },
      async update(text, until) {
        if (!isFinished) await update(text, until)
      },
      async finish(text, until) {
        if (isFinished) return
        // A fixed id for the last change lets DingTalk recognize a repetition.
        await stream(card, text, { guid: `${card}_last`, isFinalize: true }, until)
        isFinished = true
      },
    }
  }
}
