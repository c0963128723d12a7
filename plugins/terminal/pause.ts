import { isDeepStrictEqual } from 'node:util'
import { RefusedError, UnreachableError } from './api.ts'
import type { Approval } from './approval.ts'
import type { ApprovalRequest, ApprovalResolution, Decision } from './frames.ts'
import { describeResolution } from './request-text.ts'
import type { View } from './view.ts'

/** What a thread's turn waits for now, if it does: has it decided and sends that, until it is over. */
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

  /** What can be tried again where the turn still waits. */
  const show = (error: unknown) => {
    if (error instanceof UnreachableError) return view.fail('UNREACHABLE', error.message)
    const isPassing = error instanceof RefusedError && (error.status >= 409 || error.status === 400)
    if (!isPassing) throw error
    view.fail(error.code, error.message)
    for (const { path, message } of error.issues) view.note(`  ${path} ${message}`)
  }

  const end = () => {
    current?.over.abort()
    current = undefined
  }

  return {
    /** Whether something is to be decided. */
    get isOpen() {
      return current !== undefined
    },

    /** Has a request decided, unless that is being done; `left` where that is left to somebody else. */
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
          // Somebody else was quicker; what they decided is about to arrive, or has.
          if (signal.aborted || (error instanceof RefusedError && error.code === 'HITL_NOT_PENDING'))
            return undefined
          if (!verdict.byPerson) throw error
          show(error)
          pause.sent = undefined
        }
      }
    },

    /** Takes the request back that was decided, expired or stopped, and says so where that was not done here. */
    close(resolution: ApprovalResolution) {
      if (current?.request.pending_id !== resolution.pending_id) return
      const { request, sent } = current
      end()
      if (!sent || !isDeepStrictEqual(sent, resolution.decisions))
        view.note(describeResolution(request, resolution))
    },

    /** Takes the request back, if there is one. */
    end,
  }
}

/** What a thread's turn waits for. */
export type Pause = ReturnType<typeof createPause>
