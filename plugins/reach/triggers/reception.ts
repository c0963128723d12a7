import { setTimeout as pause } from 'node:timers/promises'
import { AppError, isDuplicateKey } from '#plugin-api'
import { fillPrompt } from './filled-prompt.ts'
import type { Cradle } from './manifest.ts'
import { readRequestBody } from './request-body.ts'
import type { RequestError, TriggerDeliveryDocument, TriggerDocument } from './types.ts'
import { digestOf, isVerified, readDeliveryId, type SignedRequest } from './verification.ts'

/** The time within which an unnamed request with the same body is a repetition, in milliseconds. */
const SAME_BODY_MS = 600_000
/** The time for which a repetition waits for the first request to start its turn, in milliseconds. */
const WAIT_MS = 5000
const POLL_MS = 100
/** The time in which the turns of a trigger are counted, in milliseconds. */
const RATE_MS = 60_000

/** The turn that a request has started. */
interface StartedTurn {
  thread_id: string
  turn_id: string
}

/** Receives requests and starts their turns, each once among all servers. */
export type Reception = ReturnType<typeof createReception>

/** Creates the reception of requests. */
export function createReception(cradle: Cradle) {
  const { triggers, triggerDeliveries: deliveries, config, extensions } = cradle
  const { chat, clock, ids, threads, unattendedTurns, users } = cradle

  /** Returns the user and the agent of a turn. Throws USER_DISABLED, AGENT_NOT_FOUND, AGENT_NOT_RUNNING and what checks throw. */
  const prepare = async (trigger: TriggerDocument) => {
    const account = await users.find(trigger.user_id)
    if (!account?.enabled) throw new AppError('TRIGGER_ACCOUNT_DISABLED')
    const prepared = await unattendedTurns.prepare(account, trigger)
    await extensions['triggers.checks'].ask({ account })
    return prepared
  }

  const findThread = async ({ user_id, agent_id }: TriggerDocument, thread_id: string) => {
    try {
      return await threads.get({ user_id, agent_id }, thread_id)
    } catch (error) {
      if (error instanceof AppError && error.code === 'THREAD_NOT_FOUND') return undefined
      throw error
    }
  }

  /** Returns the thread of the next turn; it need not exist yet. */
  const chooseThread = async (trigger: TriggerDocument): Promise<string> => {
    const { thread, thread_id } = trigger
    if (thread === 'new') return ids.make('thr_')
    if (thread_id !== null && (await findThread(trigger, thread_id))) return thread_id
    return triggers.chooseThread(trigger, ids.make('thr_'))
  }

  const openThread = async (trigger: TriggerDocument, thread_id: string): Promise<void> => {
    if (await findThread(trigger, thread_id)) return
    const { user_id, agent_id, name: title } = trigger
    try {
      await threads.create({ user_id, agent_id }, { _id: thread_id, channel_type: 'trigger', title })
    } catch (error) {
      // Another process created it in the meantime.
      if (!isDuplicateKey(error)) throw error
    }
  }

  /** Throws RATE_LIMITED if other requests have started as many turns as a trigger may. */
  const assertRate = async (delivery: TriggerDeliveryDocument): Promise<void> => {
    const { count, oldest_ms } = await deliveries.readRate(delivery, RATE_MS)
    if (count < config.requests_per_minute) return
    await deliveries.forget(delivery)
    const wait = (oldest_ms ?? clock.now()) + RATE_MS - clock.now()
    throw new AppError('RATE_LIMITED', { retry_after_seconds: Math.max(1, Math.ceil(wait / 1000)) })
  }

  /** Starts the turn of a request, or finds the turn that it has started: the message has the same id in every process. */
  const start = async (
    trigger: TriggerDocument,
    delivery: TriggerDeliveryDocument,
    text: string,
  ): Promise<StartedTurn> => {
    const { _id, received_ms, thread_id } = delivery
    try {
      const { user, agent, locale } = await prepare(trigger)
      await openThread(trigger, thread_id)
      const { turn_id, outcome } = await chat.start(
        {
          ...{ thread_id, agent, user, locale },
          content: [{ type: 'text' as const, text }],
          client_message_id: `trigger:${_id}:${received_ms}`,
          ...(trigger.model !== null && { model: trigger.model }),
          request_id: ids.make(),
        },
        { isDurableFirst: true },
      )
      const status = outcome === 'queued' ? 'queued' : 'started'
      await deliveries.settle(delivery, { status, turn_id, error: null })
      if (outcome === 'repeated') await deliveries.noteRepeat(delivery)
      return { thread_id, turn_id }
    } catch (error) {
      // Failures of the server leave the request open, so that the sender can try again.
      if (error instanceof AppError && error.code !== 'SHUTTING_DOWN')
        await deliveries.settle(delivery, { status: 'refused', turn_id: null, error: toStored(error) })
      throw error
    }
  }

  /** The waits of this process by request, which its repetitions share. */
  const waits = new Map<string, Promise<TriggerDeliveryDocument | null>>()

  const waitFor = async (delivery: TriggerDeliveryDocument): Promise<TriggerDeliveryDocument | null> => {
    let current: TriggerDeliveryDocument | null = delivery
    while (current?.status === 'received' && clock.now() - current.received_ms < WAIT_MS) {
      await pause(POLL_MS)
      current = await deliveries.find(delivery._id)
    }
    return current
  }

  /** Waits until the turn of a request that another one is starting is known; returns the request as it is then. */
  const untilSettled = (delivery: TriggerDeliveryDocument): Promise<TriggerDeliveryDocument | null> => {
    const { _id } = delivery
    const wait = waits.get(_id) ?? waitFor(delivery).finally(() => waits.delete(_id))
    waits.set(_id, wait)
    return wait
  }

  /** Handles a repeated request: returns the turn of the first one, or starts one if that has failed. */
  const repeat = async (
    trigger: TriggerDocument,
    first: TriggerDeliveryDocument,
    { text, ...request }: { text: string; bytes: number; missing: string[]; is_named: boolean },
  ): Promise<StartedTurn | null> => {
    const current = await untilSettled(first)
    if (!current) return null
    const { is_named, bytes, missing } = request
    const isOld = !is_named && clock.now() - current.received_ms >= SAME_BODY_MS
    if (current.turn_id !== null && !isOld) {
      await deliveries.noteRepeat(current)
      return { thread_id: current.thread_id, turn_id: current.turn_id }
    }
    // The process of the first request has died.
    if (current.status === 'received') return start(trigger, current, text)
    const thread_id = await chooseThread(trigger)
    const reopened = await deliveries.reopen(current, { thread_id, bytes, missing })
    if (!reopened) return null
    await assertRate(reopened)
    return start(trigger, reopened, text)
  }

  return {
    /**
     * Starts the turn of a request; `ping` if it is a test by its sender. Throws NOT_FOUND, AUTH_FAILED, BAD_JSON,
     * RATE_LIMITED, TRIGGER_BUSY, and the reasons for which a turn cannot start.
     */
    async receive(trigger_id: string, request: SignedRequest): Promise<StartedTurn | 'ping'> {
      const trigger = await triggers.findEnabled(trigger_id)
      if (!trigger) throw new AppError('NOT_FOUND')
      const { scheme } = trigger
      const secret = triggers.openSecret(trigger)
      if (!isVerified(scheme, { ...request, secret, now: clock.seconds() })) throw new AppError('AUTH_FAILED')
      const { headers, bytes } = request
      const body = readRequestBody(bytes, headers['content-type']?.toString() ?? '')
      await triggers.noteRequest(trigger)
      if (scheme === 'github' && headers['x-github-event'] === 'ping') return 'ping'
      const name = readDeliveryId(scheme, request, body)
      const delivery_id = name ?? `sha256:${digestOf(bytes)}`
      const { text, missing } = fillPrompt(trigger.prompt, body)
      const facts = { bytes: bytes.byteLength, missing }
      // Several rounds, since other requests with the same name may come and be refused in between.
      for (let round = 0; round < 3; round += 1) {
        const first = await deliveries.find(deliveries.idOf(trigger_id, delivery_id))
        if (first) {
          const turn = await repeat(trigger, first, { text, ...facts, is_named: name !== undefined })
          if (turn) return turn
          continue
        }
        const thread_id = await chooseThread(trigger)
        const delivery = await deliveries.add(trigger, { delivery_id, thread_id, ...facts })
        if (!delivery) continue
        await assertRate(delivery)
        return start(trigger, delivery, text)
      }
      throw new AppError('TRIGGER_BUSY')
    },
  }
}

/** Returns an error as it is stored: its code, and the values in its text. */
const toStored = ({ code, details }: AppError): RequestError => ({
  code,
  details: Object.fromEntries(
    Object.entries(details).filter(
      (entry): entry is [string, string | number] =>
        typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  ),
})
