import type { Logger } from '#kernel'
import { ChannelFailure } from '#plugin-api'
import type { Api } from './api.ts'
import { Refusal, refusalOf } from './failure.ts'
import { type Form, plainForm } from './form.ts'
import { type Target, webhookOf } from './target.ts'
import { textOf, type WireObject } from './wire-value.ts'

const WHAT = 'the message'

/** What the API calls a message that it cannot read, which then goes without marks. */
const UNREADABLE = new Set(['invalidParameter.msgParam.invalid', 'invalidParameter.msgBody.invalid'])

/** Sends messages to where they are to go. */
export interface Sending {
  /** By the address for answers while that works, else by the API. */
  send(target: Target, form: Form, signal: AbortSignal): Promise<void>
  /** By the API. */
  post(target: Target, form: Form, signal: AbortSignal): Promise<void>
}

/** Makes the sending of an app. */
export function createSending({ api, oapi, log }: { api: Api; oapi: string; log: Logger }): Sending {
  /** Tells whether the message has gone; an address that is refused is one that has expired. */
  async function answer(url: string, body: object, signal: AbortSignal): Promise<boolean> {
    try {
      const reply = await api.request(url, { body, signal })
      if (reply.status === 200 && textOf(reply.body.errcode) === '0') return true
      const refusal = refusalOf(reply, WHAT)
      if (refusal.reason === 'rate_limited' || reply.status >= 500) throw refusal
      log.debug({ code: refusal.code }, 'DingTalk refuses an answer to a message')
      return false
    } catch (error) {
      // An address that this server must not connect to can be done without.
      if (error instanceof Refusal && error.code === 'ADDRESS_NOT_ALLOWED') return false
      throw error
    }
  }

  async function post(target: Target, { msgKey, msgParam }: Form, signal: AbortSignal): Promise<void> {
    const { type, conversation, robot, staff } = target
    const message = { robotCode: robot, msgKey, msgParam: JSON.stringify(msgParam) }
    if (type === 'group') {
      const body = { ...message, openConversationId: conversation }
      await api.call('/v1.0/robot/groupMessages/send', { body, signal }, WHAT)
      return
    }
    if (!staff)
      throw new ChannelFailure(
        'not_found',
        'DingTalk lets a robot write to somebody outside of the organization only for a while after their message.',
      )
    const body = { ...message, userIds: [staff] }
    assertAccepted(await api.call('/v1.0/robot/oToMessages/batchSend', { body, signal }, WHAT))
  }

  async function postReadable(target: Target, form: Form, signal: AbortSignal): Promise<void> {
    try {
      await post(target, form, signal)
    } catch (error) {
      const isUnreadable = error instanceof Refusal && UNREADABLE.has(error.code)
      if (!isUnreadable || form.msgKey !== 'sampleMarkdown') throw error
      await post(target, plainForm(form.msgParam.text!), signal)
    }
  }

  return {
    post,

    async send(target, form, signal) {
      const url = form.webhook && webhookOf(target, oapi)
      if (url && (await answer(url, form.webhook!, signal))) return
      await postReadable(target, form, signal)
    },
  }
}

/** A call that names people succeeds also where none of them gets the message. */
function assertAccepted({ invalidStaffIdList, flowControlledStaffIdList }: WireObject): void {
  const isNamed = (list: unknown) => Array.isArray(list) && list.length > 0
  if (isNamed(invalidStaffIdList))
    throw new ChannelFailure('not_found', 'DingTalk does not know the person, or they may not use the robot.')
  if (isNamed(flowControlledStaffIdList))
    throw new ChannelFailure('rate_limited', 'DingTalk holds back messages to this person for now.', {
      retry_after_ms: 10_000,
    })
}
