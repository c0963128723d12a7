import { isDeepStrictEqual } from 'node:util'
import { RefusedError, UnreachableError } from './api.ts'
import type { Approval } from './approval.ts'
import type { ApprovalRequest, ApprovalResolution, Decision } from './frames.ts'
import { describeResolution } from './request-text.ts'
import type { View } from './view.ts'

/** Creates the pause of a thread's turn: gets the decisions about the open request and sends them, until it is closed. */
export const createPause = ({
  approval,
  send,
  view,
}: {
  approval: Approval
  send(request: ApprovalRequest, decisions: Decision[]): Promise<void>
  view: View
}) => {
  let current: { request: ApprovalRequest; over: AbortController; sent?: Decision[] } | undefined

  /** Shows an error after which the person may decide again; throws any other. */
  const showRetryable = (error: unknown) => {
    if (error instanceof UnreachableError) return view.fail('UNREACHABLE', error.message)
    const isRetryable = error instanceof RefusedError && (error.status >= 409 || error.status === 400)
    if (!isRetryable) throw error
    view.fail(error.code, error.message)
    for (const { path, message } of error.issues) view.note(`  ${path} ${message}`)
  }

  const end = () => {
    current?.over.abort()
    current = undefined
  }

  return {
    /** True while a request waits for a decision. */
    get isOpen() {
      return current !== undefined
    },

    /** Gets the decisions about a request, unless it is open already; `left` if it stays undecided here. */
    async open(request: ApprovalRequest): Promise<'left' | undefined> {
      if (current?.request.pending_id === request.pending_id) return undefined
      end()
      const over = new AbortController()
      const { signal } = over
      const pause: typeof current = { request, over }
      current = pause
      for (;;) {
        const verdict = await approval(request, signal)
        if (signal.aborted) return undefined
        if (!verdict) {
          end()
          return 'left'
        }
        pause.sent = verdict.decisions
        view.wait()
        try {
          await send(request, verdict.decisions)
          return undefined
        } catch (error) {
          // Another client decided first; its decisions arrive as a frame.
          if (signal.aborted || (error instanceof RefusedError && error.code === 'HITL_NOT_PENDING'))
            return undefined
          if (!verdict.byPerson) throw error
          showRetryable(error)
          pause.sent = undefined
        }
      }
    },

    /** Withdraws a request that was decided, expired or stopped, with a remark unless it was decided here. */
    close(resolution: ApprovalResolution) {
      if (current?.request.pending_id !== resolution.pending_id) return
      const { request, sent } = current
      end()
      if (!sent || !isDeepStrictEqual(sent, resolution.decisions))
        view.note(describeResolution(request, resolution))
    },

    /** Withdraws the open request, if there is one. */
    end,
  }
}
