import { isUnavailable } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import { threadOf } from './ledger-event.ts'

/** The interval of the reads; it grows for a follower while there is nothing new. */
const READ_MS = { first: 100, most: 1000 }
/** The shortest interval, as a multiple of the time that the last read took: a busy database is asked less often. */
const REST = 3
/** The longest interval while no other process is known, in milliseconds. */
const ALONE_MS = 3000
/** The most threads, and the most events, of one read. */
const AT_ONCE = { threads: 200, events: 500 }

/** A reader of a thread to which another process may write. */
export interface Follower {
  readonly thread_id: string
  /** The seq behind which it reads. */
  readonly position: number
  /** True while another process may write. */
  readonly isExpectant: boolean
  /** True if the event of its position was stored, so that the thread is gone if it is missing. */
  readonly isStored: boolean
  /** Called when the thread has been removed. */
  onMissing(): void
}

/** Reads what other processes write for the readers here: one query for all of their threads. */
export type Tail = ReturnType<typeof createTail>

/** Creates the tail, which publishes in this process what it reads. */
export function createTail({ ledger, hub, nodes, log }: Pick<Cradle, 'ledger' | 'hub' | 'nodes' | 'log'>) {
  const followers = new Map<Follower, { wait: number; due: number }>()
  let timer: NodeJS.Timeout | undefined
  let isReading = false

  const longest = () => (nodes.peers > 0 ? READ_MS.most : ALONE_MS)

  /** Takes the followers whose time has come, of at most so many threads. */
  const takeDue = () => {
    const now = performance.now()
    const positions = new Map<string, number>()
    const due: Follower[] = []
    for (const [follower, state] of followers) {
      if (!follower.isExpectant) followers.delete(follower)
      else if (state.due <= now && (positions.size < AT_ONCE.threads || positions.has(follower.thread_id))) {
        const { thread_id, position } = follower
        positions.set(thread_id, Math.min(position, positions.get(thread_id) ?? position))
        due.push(follower)
      }
    }
    return { positions, due }
  }

  /** Ends the followers of threads that have been removed. */
  const endRemoved = async (silent: readonly Follower[]) => {
    const stored = silent.filter(({ isStored }) => isStored)
    if (stored.length === 0) return
    const missing = await ledger.listMissing(stored)
    for (const follower of missing) follower.onMissing()
  }

  const read = async () => {
    const { positions, due } = takeDue()
    if (due.length === 0) return
    const news = new Set<string>()
    let isWhole = true
    const startedAt = performance.now()
    try {
      const events = await ledger.readBehind(positions, AT_ONCE.events)
      isWhole = events.length < AT_ONCE.events
      for (const event of events) {
        news.add(threadOf(event))
        hub.deliver(event)
      }
      if (isWhole) await endRemoved(due.filter(({ thread_id }) => !news.has(thread_id)))
    } catch (error) {
      if (!isUnavailable(error)) log.error({ error }, 'events of other processes could not be read')
    }
    const now = performance.now()
    const pauseMs = (now - startedAt) * REST
    for (const follower of due) {
      const state = followers.get(follower)
      if (!state) continue
      const hasNews = !isWhole || news.has(follower.thread_id)
      state.wait = hasNews ? READ_MS.first : Math.min(state.wait * 2, longest())
      state.due = now + Math.max(pauseMs, isWhole ? state.wait : 0)
    }
  }

  const run = async () => {
    isReading = true
    await read()
    isReading = false
    schedule()
  }

  const schedule = () => {
    clearTimeout(timer)
    if (isReading || followers.size === 0) return
    const next = Math.min(...[...followers.values()].map(({ due }) => due))
    // Followers that are due at about the same time are read for together.
    timer = setTimeout(run, Math.max(next - performance.now(), READ_MS.first / 4)).unref()
  }

  return {
    /** Reads behind a follower from now on, as long as it expects something; soon, or at the longest interval. */
    follow(follower: Follower, when: 'soon' | 'later') {
      const wait = when === 'soon' ? READ_MS.first : longest()
      followers.set(follower, { wait, due: performance.now() + wait })
      schedule()
    },
    leave(follower: Follower) {
      followers.delete(follower)
    },
  }
}
