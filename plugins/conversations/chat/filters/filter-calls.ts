import {
  AppError,
  type ChatFilter,
  createDeadline,
  type FilterContext,
  type LocalizedText,
  untilAborted,
} from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import { FilterRefusal } from './filter-refusal.ts'
import { FilterFailure, readNotices, readSentence, TIME_LIMIT_MS } from './form.ts'

/** Something that a filter tells a person; without a message, the filter has failed. */
export interface ToldByFilter {
  filter: string
  code: string
  message?: LocalizedText
}

/** The facts about a model call that its filters receive. */
export interface FilterScope extends Omit<FilterContext, 'signal' | 'purpose'> {
  onNotice?(notice: ToldByFilter): void
}

/** Calls a function of a filter within its time. */
export type CallFilter = <Value>(call: {
  filter: ChatFilter
  act(signal: AbortSignal): unknown
  /** Reads the value that passes from a result without a refusal; throws a FilterFailure. */
  read(result: Record<string, unknown>): Value
  /** The value that passes if the filter fails and its text may pass then. */
  unfiltered: Value
  scope: FilterScope
  signal: AbortSignal | undefined
}) => Promise<Value>

/**
 * Creates the calls of filters. A call returns what passes. It throws a FilterRefusal, FILTER_FAILED if the filter fails
 * and nothing may pass then, and the reason of the signal. A result that comes too late is ignored.
 */
export const createFilterCalls =
  ({ log }: Pick<Cradle, 'log'>): CallFilter =>
  async ({ filter, act, read, unfiltered, scope, signal }) => {
    const { name, on_failure, time_limit_ms: milliseconds = TIME_LIMIT_MS } = filter
    const deadline = createDeadline([signal], {
      milliseconds,
      reason: () => new FilterFailure(`it took longer than ${milliseconds} ms`),
    })
    try {
      const work = Promise.resolve().then(() => act(deadline.signal))
      const result = Object(await untilAborted(deadline.signal, work)) as Record<string, unknown>
      if (result.refuse !== undefined) throw new FilterRefusal(name, readSentence(result.refuse, 'refusal'))
      const notices = readNotices(result.notices)
      const passed = read(result)
      for (const notice of notices) scope.onNotice?.({ filter: name, ...notice })
      return passed
    } catch (error) {
      if (error instanceof FilterRefusal) throw error
      signal?.throwIfAborted()
      log.warn({ filter: name, on_failure, ...describeFailure(error) }, 'a filter failed')
      if (on_failure === 'pass') return unfiltered
      throw new AppError('FILTER_FAILED', { filter: name })
    } finally {
      deadline.release()
    }
  }

/** Describes a failure without its message, which may contain the text that the filter was called with. */
function describeFailure(error: unknown): Record<string, unknown> {
  if (error instanceof FilterFailure) return { reason: error.message }
  if (!(error instanceof Error)) return { reason: 'it threw something that is not an error' }
  const frames = error.stack?.slice(error.stack.indexOf(error.message) + error.message.length)
  const at = frames?.split('\n').find((line) => line.startsWith('    at '))
  return { reason: `it threw a ${error.constructor.name}`, at: at?.trim() }
}
