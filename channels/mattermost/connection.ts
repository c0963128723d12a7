import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ChannelConnection,
  ChannelFailure,
  type ChannelLink,
  type ChannelSettings,
  PlatformRefusal,
} from '#plugin-api'
import { createApi, type MattermostApi } from './api.ts'
import type { MattermostConfig } from './config.ts'
import { FOREIGN } from './failure.ts'
import { createMissedPosts } from './missed-posts.ts'
import { createOutbound } from './outbound.ts'
import { createPostReader, type Me, type Post } from './posts.ts'
import { type EventSocket, openSocket, type ServerEvent } from './socket.ts'

/** The pause before another connection doubles from the first to the last value, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000

/** Failures after which another connection is useless. */
const FINAL = new Set(['invalid_credentials', 'forbidden', 'not_found', 'unsupported'])

/** Connects a bot; resolves when posts can arrive. */
export async function openConnection(
  settings: ChannelSettings<MattermostConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const signal = AbortSignal.any([link.signal, closing.signal])
  const api = createApi(settings, signal)
  const me = await fetchMe(api, signal)
  const read = createPostReader(api, me, signal)
  const missed = createMissedPosts({ api, me, cursor: link.cursor, log: link.log, signal })
  await missed.begin()
  const outbound = createOutbound(api, me)
  let current: EventSocket | undefined
  /** Posts are stored one after the other. */
  let working: Promise<void> = Promise.resolve()

  async function receive(post: Post): Promise<void> {
    if (missed.isRead(post)) return
    const message = await read(post)
    if (!message) return
    const behind = missed.behind(post)
    await link.receive(message, behind)
    missed.moveTo(behind)
  }

  /** Does work after the work before it; if that fails, the posts are fetched again after a new connection. */
  function enqueue(socket: () => EventSocket | undefined, work: () => Promise<void>): void {
    working = working.then(work).catch((error) => {
      if (signal.aborted) return
      link.log.warn({ error }, 'posts could not be stored; they are fetched again')
      return socket()?.close()
    })
  }

  async function connect(): Promise<EventSocket> {
    let opened: EventSocket | undefined
    let hasFailed = false
    const posts: Post[] = []
    const take = (event: ServerEvent) => {
      const post = readPost(event)
      if (!post) return
      if (!opened) return void posts.push(post)
      enqueue(
        () => opened,
        () => (hasFailed ? Promise.resolve() : fail(receive(post))),
      )
    }
    const fail = async (work: Promise<void>) => {
      try {
        await work
      } catch (error) {
        // Later posts must not move the position beyond this one.
        hasFailed = true
        throw error
      }
    }
    const socket = await openSocket(settings, { signal, onEvent: take })
    opened = socket
    enqueue(
      () => opened,
      () =>
        fail(
          (async () => {
            for (const post of await missed.list()) await receive(post)
            for (const post of posts) await receive(post)
          })(),
        ),
    )
    return socket
  }

  /** Keeps a connection until the signal is aborted or another one is useless; never rejects. */
  async function keep(first: EventSocket): Promise<void> {
    current = first
    let failures = 0
    while (!signal.aborted) {
      const begun = performance.now()
      await current.ended
      await working
      if (signal.aborted) return
      link.connecting('The connection to the Mattermost server was cut.')
      if (performance.now() - begun > LAST_PAUSE_MS) failures = 0
      for (;;) {
        await sleep(Math.min(FIRST_PAUSE_MS * 2 ** failures++, LAST_PAUSE_MS), undefined, { signal }).catch(
          () => {},
        )
        if (signal.aborted) return
        try {
          // A token that was revoked is refused here in words.
          await fetchMe(api, signal)
          current = await connect()
          break
        } catch (error) {
          if (signal.aborted) return
          if (error instanceof ChannelFailure && FINAL.has(error.reason)) return link.lost(error)
        }
      }
      link.connected()
    }
  }

  const ended = keep(await connect())

  return {
    ...outbound,
    download: (reference, until) => api.download(`/files/${(reference as { id: string }).id}`, until),
    async close() {
      closing.abort()
      await ended
      await working
    },
  }
}

/** Returns the post of an event; undefined for other events. */
function readPost({ event, data }: ServerEvent): Post | undefined {
  if (event !== 'posted' || typeof data?.post !== 'string') return
  try {
    const post = JSON.parse(data.post) as Partial<Post> | null
    const isWhole = post?.id && post.user_id && post.channel_id && Number.isFinite(post.create_at)
    return isWhole ? (post as Post) : undefined
  } catch {
    // Ignored: another delivery would be unreadable too.
    return undefined
  }
}

/** Fetches the account of the token. Throws `not_found` if something else than Mattermost answers. */
async function fetchMe(api: MattermostApi, signal: AbortSignal): Promise<Me> {
  try {
    const { id, username } = await api.call<Partial<Me>>({ method: 'GET', path: '/users/me' }, signal)
    if (typeof id === 'string' && typeof username === 'string') return { id, username }
  } catch (error) {
    const isElsewhere = error instanceof PlatformRefusal && error.code === FOREIGN && error.status === 404
    if (!isElsewhere) throw error
  }
  throw new ChannelFailure('not_found', 'No Mattermost server answers at this address: check it.')
}

/** Tests the address and the token. */
export async function probe(settings: ChannelSettings<MattermostConfig>, signal: AbortSignal): Promise<void> {
  await fetchMe(createApi(settings, signal), signal)
}
