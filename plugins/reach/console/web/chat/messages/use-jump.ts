import { useSearch } from '@tanstack/react-router'
import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useState } from 'react'
import { t } from '../../i18n/words.ts'
import { readFailure } from '../../server/failure.ts'
import type { ThreadStore } from '../store/thread-store.ts'
import { useThread } from '../store/threads.ts'

/** The pages of older messages that are read to reach a message. */
const MAX_PAGES = 200
/** The display frames within which a message that was scrolled to has its place. */
const MAX_FRAMES = 180
/** The display frames without a move after which it has its place. */
const STEADY_FRAMES = 12
/** The time that the message is marked. */
const MARKED_MS = 4_000
/** The space above the message. */
const MARGIN_PX = 24

/** The events with which a person scrolls, which end the jump. */
const INPUTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

interface Parts {
  store: ThreadStore
  scroller: RefObject<HTMLDivElement | null>
  virtual: Virtualizer<HTMLDivElement, Element>
  /** Stops following the end of the conversation. */
  leaveEnd(): void
}

/** A message that could not be shown, in words for a person. */
interface FailedJump {
  text: string
  /** Tries once more; undefined if that would not help. */
  retry?: () => void
}

/**
 * Scrolls to the message in the address and marks it. Older pages are read to reach it; if it belongs to a version that
 * is not shown, that version is chosen. Returns why the message could not be shown.
 */
export function useJump({ store, scroller, virtual, leaveEnd }: Parts): FailedJump | undefined {
  const { message } = useSearch({ strict: false })
  const isReady = useThread(store, ({ status }) => status === 'ready')
  const [attempt, setAttempt] = useState(0)
  const [failure, setFailure] = useState<{ message: string; error: unknown }>()

  useEffect(() => {
    if (message === undefined || !isReady) return
    const leaving = new AbortController()
    const { signal } = leaving
    const findTurn = () =>
      store.latest().turns.findIndex(({ messages }) => messages.some(({ id }) => id === message))

    /** Reads older pages until the message is among the loaded ones; false if the shown version does not contain it. */
    const load = async () => {
      for (let pages = 0; findTurn() < 0 && store.latest().older !== null && pages < MAX_PAGES; pages++) {
        if (signal.aborted) return false
        await store.loadOlder()
      }
      return findTurn() >= 0
    }

    const jump = async () => {
      if (!(await load())) {
        if (signal.aborted) return
        const { turns } = store.latest()
        await store.choose(message)
        await untilChanged(store, turns, signal)
        if (!(await load()) && !signal.aborted) throw { code: 'MESSAGE_NOT_FOUND' }
      }
      if (signal.aborted) return
      leaveEnd()
      const target = await show()
      if (!target) return
      target.closest<HTMLElement>('[data-index]')?.focus({ preventScroll: true })
      target.dataset.jumped = 'true'
      setTimeout(() => delete target.dataset.jumped, MARKED_MS)
    }

    /** Scrolls to the message until it stays at its place, since rows around it are measured once they are rendered. */
    const show = async () => {
      const element = scroller.current!
      let target: HTMLElement | undefined
      for (let frame = 0, steady = 0; frame < MAX_FRAMES && steady < STEADY_FRAMES; frame++) {
        if (signal.aborted) return undefined
        const { scrollTop } = element
        target = findElement()
        if (target) {
          const top = target.getBoundingClientRect().top - element.getBoundingClientRect().top
          element.scrollTop += top - MARGIN_PX
        } else virtual.scrollToIndex(findTurn(), { align: 'start' })
        await nextFrame()
        // At the end of a conversation there is nothing to scroll.
        steady = target && Math.abs(element.scrollTop - scrollTop) <= 1 ? steady + 1 : 0
      }
      return target
    }

    /** The element of the question or of the answer, if it is rendered. */
    const findElement = () => {
      const index = findTurn()
      const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
      const { role } = store.latest().turns[index]!.messages.find(({ id }) => id === message)!
      return (role !== 'user' && row?.querySelector('article')) || row || undefined
    }

    setFailure(undefined)
    jump().catch((error) => !signal.aborted && setFailure({ message, error }))
    const leave = () => leaving.abort()
    const element = scroller.current
    for (const type of INPUTS) element?.addEventListener(type, leave, { passive: true, signal })
    return leave
  }, [message, isReady, store, attempt])

  if (failure === undefined || failure.message !== message) return undefined
  const text = describe(failure.error)
  return isGone(failure.error) ? { text } : { text, retry: () => setAttempt((number) => number + 1) }
}

const isGone = (error: unknown) => readFailure(error).code === 'MESSAGE_NOT_FOUND'

function describe(error: unknown): string {
  const { code, message } = readFailure(error)
  if (code === 'THREAD_BUSY') return t('conversations.version_busy')
  return isGone(error) ? t('conversations.message_gone') : t('conversations.not_shown', { reason: message })
}

/** Resolves once the turns of a thread are others, or when it is aborted. */
const untilChanged = (store: ThreadStore, turns: readonly unknown[], signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (store.latest().turns === turns && !signal.aborted) return
      stop()
      resolve()
    }
    const stop = store.listen(look)
    signal.addEventListener('abort', look)
    look()
  })

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
