import {
  ChannelFailure,
  type ConversationType,
  isRefusal,
  type JSONValue,
  type Json,
  type Logger,
  toScalarText,
  toWellFormedJSON,
} from '#plugin-api'
import type { Api } from './api.ts'
import { toRefusal } from './failure.ts'
import { type Form, plainForm } from './form.ts'
import { MARKUP_REFUSALS } from './refusal-codes.ts'

/** The destination of an answer. */
export type Target = {
  type: ConversationType
  conversation: string
  /** The robot that received the message. */
  robot: string
  /** The sender, if a member of the organization: the API cannot write to anybody else. */
  staff?: string
  /** The reply webhook of the message. It is a secret: everybody who has it can write to the conversation. */
  webhook?: { url: string; expires_at: number }
}

/** Returns a stored target with its type. */
export const toTarget = (stored: JSONValue) => stored as Target

/** A reply webhook is not used this long before it expires. */
const EXPIRY_MARGIN_MS = 60_000

/** Returns the reply webhook while it is valid; unencrypted only if the platform itself is reached so. */
function findWebhook({ webhook }: Target, oapi: string): string | undefined {
  if (!webhook || webhook.expires_at - EXPIRY_MARGIN_MS < Date.now() || !URL.canParse(webhook.url))
    return undefined
  const { protocol, origin } = new URL(webhook.url)
  return protocol === 'https:' || origin === new URL(oapi).origin ? webhook.url : undefined
}

const WHAT = 'the message'

/** The code of an address to which this server does not connect. */
const NOT_ALLOWED: ReadonlySet<string> = new Set(['ADDRESS_NOT_ALLOWED'])

/** Creates the sending of an app. */
export function createSending({ api, oapi, log }: { api: Api; oapi: string; log: Logger }) {
  /** Posts to the reply webhook; false if it refused the message for a reason that may not hold for the API. */
  async function answer(url: string, body: object, signal: AbortSignal): Promise<boolean> {
    try {
      const reply = await api.request(url, { body, signal })
      if (reply.status === 200 && toScalarText(reply.body.errcode) === '0') return true
      const refusal = toRefusal(reply, WHAT)
      const isForAnyWay = refusal.reason === 'rate_limited' || refusal.is_about_text
      if (isForAnyWay || reply.status >= 500) throw refusal
      log.debug({ code: refusal.code }, 'DingTalk refused an answer by the reply webhook')
      return false
    } catch (error) {
      // The API is used instead of a webhook to which this server must not connect.
      if (isRefusal(error, NOT_ALLOWED)) return false
      throw error
    }
  }

  /** Sends by the API. */
  async function post(target: Target, { msgKey, msgParam }: Form, signal: AbortSignal): Promise<void> {
    const { type, conversation, robot, staff } = target
    const message = { robotCode: robot, msgKey, msgParam: toWellFormedJSON(msgParam) }
    if (type === 'group') {
      const body = { ...message, openConversationId: conversation }
      await api.call('/v1.0/robot/groupMessages/send', { body, signal }, WHAT)
      return
    }
    if (!staff)
      throw new ChannelFailure(
        'not_found',
        'DingTalk lets a robot write to people outside the organization only for a limited time after their message.',
      )
    const body = { ...message, userIds: [staff] }
    assertAccepted(await api.call('/v1.0/robot/oToMessages/batchSend', { body, signal }, WHAT))
  }

  async function postReadable(target: Target, form: Form, signal: AbortSignal): Promise<void> {
    try {
      await post(target, form, signal)
    } catch (error) {
      if (!isRefusal(error, MARKUP_REFUSALS) || form.msgKey !== 'sampleMarkdown') throw error
      await post(target, plainForm(form.msgParam.text!), signal)
    }
  }

  return {
    post,

    /** Sends by the reply webhook while it is valid, else by the API. */
    async send(target: Target, form: Form, signal: AbortSignal): Promise<void> {
      const url = form.webhook && findWebhook(target, oapi)
      if (url && (await answer(url, form.webhook!, signal))) return
      await postReadable(target, form, signal)
    },
  }
}

/** Throws if a successful call did not reach its addressee, which DingTalk reports in lists. */
function assertAccepted({ invalidStaffIdList, flowControlledStaffIdList }: Json): void {
  const isNamed = (list: unknown) => Array.isArray(list) && list.length > 0
  if (isNamed(invalidStaffIdList))
    throw new ChannelFailure(
      'not_found',
      'DingTalk does not know this person, or the person may not use the robot.',
    )
  if (isNamed(flowControlledStaffIdList))
    throw new ChannelFailure('rate_limited', 'DingTalk limits messages to this person at the moment.', {
      retry_after_ms: 10_000,
    })
}
