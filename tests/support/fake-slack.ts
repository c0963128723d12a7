import { untilAborted } from '#kernel'
import type { FakePlatform, Saying } from '../../plugin-api/testing/fake-platform.ts'
import { createFakeSlackApi } from './fake-slack-api.ts'
import { buttonsOf } from './fake-slack-blocks.ts'
import { type FakeSlackSite, startFakeSlackSite } from './fake-slack-site.ts'
import { createFakeSlackSocket, type FakeSlackSocket } from './fake-slack-socket.ts'
import {
  APP_TOKEN,
  BOT_TOKEN,
  BOT_USER,
  createWorld,
  DIRECT,
  GROUP,
  placeOf,
  type Refusal,
  type World,
} from './fake-slack-world.ts'

/** The fake of Slack, and what only Slack does. */
export interface FakeSlack
  extends FakePlatform,
    Pick<World, 'calls' | 'whispers' | 'scopes' | 'fileAnswers'> {
  /** All that must be in no log and no error. */
  secrets(): string[]
  /** Delivers an envelope; resolves when it is acknowledged. */
  deliver: FakeSlackSocket['deliver']
  /** Sends a frame as it is. */
  frame: FakeSlackSocket['frame']
  redeliveries: FakeSlackSocket['redeliveries']
  /** Refuses the next calls of a method. */
  refuse(method: string, refusal: Refusal, calls?: number): void
  /** Carries out the next call of a method, and loses its answer. */
  loseAnswer(method: string): void
  /** Stores a file of a person; returns it as Slack tells of it, with these fields changed. */
  store(file: NonNullable<Saying['file']>, fields?: Record<string, unknown>): Record<string, unknown>
  /** Answers nothing any more. */
  mute(what: 'api' | 'socket'): void
  misdirect: FakeSlackSite['misdirect']
}

/** Time limit of waiting for the bot. */
const PATIENCE_MS = 40_000

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Starts Slack's Web API, its files and Socket Mode on loopback. */
export async function startFakeSlack(): Promise<FakeSlack> {
  const world = createWorld()
  const { messages, files, violations, refusals } = world
  const events = new Map<string, Record<string, unknown>>()
  const names = new Map<string, string>()
  const closing = new AbortController()

  const site = await startFakeSlackSite(world, (method, token, fields) => api.call(method, token, fields))
  const socket = createFakeSlackSocket(site.server, site.address, violations)
  const api = createFakeSlackApi(world, site.address, socket.issueTicket)

  /** A message as Slack tells of it; both events of a mention are made of it. */
  function write(saying: Saying): Record<string, unknown> {
    const { text, place = 'direct', sender = 'ann', mention = true, sent_at, file, quote } = saying
    const channel = place === 'direct' ? DIRECT : GROUP
    const ts = /^\d+\.\d{6}$/.test(saying.id ?? '') ? saying.id! : world.nextTs(sent_at)
    const written = escapeText(text)
    const isMention = place === 'group' && mention
    const said = isMention ? `<@${BOT_USER}> ${written}` : written
    messages.push({ ts, channel, isBots: false, text: said, blocks: [], history: [] })
    return {
      type: 'message',
      channel,
      channel_type: place === 'direct' ? 'im' : 'channel',
      user: sender,
      text: said,
      ts,
      event_ts: ts,
      team: 'T0FAKE',
      user_profile: { display_name: sender, real_name: sender },
      ...(file && { subtype: 'file_share', files: [store(file)] }),
      ...(quote && {
        attachments: [{ is_share: true, is_msg_unfurl: true, text: escapeText(quote), author_name: 'bob' }],
      }),
    }
  }

  function store({ filename, media_type, bytes }: NonNullable<Saying['file']>, fields: object = {}) {
    const id = `F0IN${files.size}`
    files.set(id, { id, filename, media_type, bytes, length: bytes.length, isShared: true })
    const url = `${site.address()}/files-pri/${id}`
    return {
      id,
      name: filename,
      mimetype: media_type,
      size: bytes.length,
      mode: 'hosted',
      url_private: url,
      url_private_download: url,
      ...fields,
    }
  }

  async function deliverMessage(event: Record<string, unknown>): Promise<void> {
    const { user_profile, channel_type, ...bare } = event
    const isMention = channel_type !== 'im' && String(event.text).includes(`<@${BOT_USER}>`)
    const both = isMention ? [{ ...bare, type: 'app_mention' }, event] : [event]
    await inTime(
      both.map((event) =>
        socket.deliver('events_api', {
          type: 'event_callback',
          team_id: 'T0FAKE',
          api_app_id: 'A0FAKE',
          event_id: `Ev${event.type}${event.ts}`,
          event,
        }),
      ),
      closing.signal,
    )
  }

  async function press(message_id: string, label: string, sender = 'ann'): Promise<string | undefined> {
    const message = messages.find(({ ts }) => ts === message_id)
    const isStale = message !== undefined && buttonsOf(message.blocks).length === 0
    const blocks = (isStale ? message.oldBlocks : message?.blocks) ?? []
    const button = buttonsOf(blocks).find(({ text }) => text?.text === label)
    if (!message || !button) throw new Error(`message ${message_id} has no button ${label}`)
    const { channel, ts, thread_ts } = message
    const thread = thread_ts ? { thread_ts } : {}
    const whispers = world.whispers.length
    const versions = message.history.length
    const answered = new Promise<void>((resolve) => {
      const look = () => {
        // Others may still be changing a message that is out of date, so only words count there.
        if (world.whispers.length === whispers && (isStale || message.history.length === versions)) return
        world.events.off('shown', look)
        resolve()
      }
      world.events.on('shown', look)
    })
    const acknowledged = socket.deliver('interactive', {
      type: 'block_actions',
      user: { id: sender, username: sender, name: sender, team_id: 'T0FAKE' },
      channel: { id: channel, name: 'fake' },
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false, ...thread },
      message: { type: 'message', ts, text: message.text, ...thread },
      response_url: `${site.address()}/actions/secretOfTheResponse`,
      trigger_id: 'secretOfTheTrigger',
      actions: [
        {
          type: 'button',
          action_id: button.action_id,
          block_id: button.block_id,
          value: button.value,
          action_ts: world.nextTs(),
        },
      ],
    })
    await inTime([acknowledged, answered], closing.signal)
    return world.whispers[whispers]?.text ?? message.text
  }

  const refuse: FakeSlack['refuse'] = (method, refuse, calls = 1) => {
    if (calls > 0) refusals.push({ method, calls, refuse })
  }

  return {
    endpoints: { api: `${site.address()}/api` },
    config: { bot_token: BOT_TOKEN, app_token: APP_TOKEN },
    wrong_config: { bot_token: 'xoxb-1111-2222-wrong', app_token: 'xapp-1-A0FAKE-3333-wrong' },
    calls: world.calls,
    fileAnswers: world.fileAnswers,
    store,
    loseAnswer: (method) =>
      void refusals.push({ method, calls: 1, refuse: { status: 503, body: 'lost' }, isDone: true }),
    whispers: world.whispers,
    scopes: world.scopes,
    violations,
    secrets: () => [BOT_TOKEN, APP_TOKEN, 'secretOfThe', ...socket.tickets],
    deliver: socket.deliver,
    frame: socket.frame,
    redeliveries: socket.redeliveries,
    connections: socket.connections,
    drop: socket.drop,
    typings: () => world.typings,
    refuse,
    press,

    async say(saying) {
      const name = saying.id === undefined ? undefined : names.get(saying.id)
      const event = name ? events.get(name)! : write(saying)
      const id = String(event.ts)
      events.set(id, event)
      names.set(saying.id ?? id, id)
      await deliverMessage(event)
      return saying.id ?? id
    },

    redeliver: (id) => deliverMessage(events.get(names.get(id)!)!),

    shown: (place) =>
      messages
        .filter(({ isBots, channel }) => isBots && (!place || placeOf(channel) === place))
        .map(({ ts, channel, text, history, blocks, file }) => ({
          id: ts,
          place: placeOf(channel),
          text,
          history: [...history],
          is_live: false,
          buttons: buttonsOf(blocks).map(({ text }) => text!.text),
          ...(file && { file }),
        })),

    limitRate: (calls, retry_after_seconds) =>
      refuse(
        'send',
        { status: 429, retryAfter: retry_after_seconds, body: { ok: false, error: 'ratelimited' } },
        calls,
      ),

    fail: (calls) => refuse('send', { status: 503, body: '<h1>Slack is down</h1>' }, calls),

    mute(what) {
      if (what === 'socket') socket.mute(true)
      else site.mute()
    },

    misdirect: site.misdirect,

    async close() {
      if (closing.signal.aborted) return
      closing.abort(new Error('the platform is closed'))
      await socket.close()
      await site.close()
    },
  }
}

/** Waits for all of that, for as long as a person would, and until `closing`. */
async function inTime(work: Promise<unknown>[], closing: AbortSignal): Promise<void> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('the bot does not answer')), PATIENCE_MS)
  try {
    await untilAborted(AbortSignal.any([closing, late.signal]), Promise.all(work))
  } finally {
    clearTimeout(timer)
  }
}
