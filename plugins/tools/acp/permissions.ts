import type {
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import type { Locale, ToolContext, WorkClock } from '#plugin-api'
import type { Progress } from './progress.ts'
import type { OpenedRunner } from './types.ts'
import { readLocations, shorten } from './updates.ts'

const describe = (runner: string, title: string): Record<Locale, string> => ({
  en: `The external agent “${runner}” wants to do this: ${title}`,
  zh: `外部智能体“${runner}”请求执行：${title}`,
})

/** Creates the function that answers a runner's permission requests; `note` tells the model which were rejected. */
export function createPermissions({
  runner: { name, trusted },
  context: { locale, requestApproval },
  clock,
  progress,
  note,
}: {
  runner: Pick<OpenedRunner, 'name' | 'trusted'>
  context: Pick<ToolContext, 'locale' | 'requestApproval'>
  clock: WorkClock
  progress: Pick<Progress, 'flush'>
  note(text: string): void
}): (request: RequestPermissionRequest) => Promise<RequestPermissionResponse> {
  return async ({ toolCall, options }) => {
    const choose = (...kinds: PermissionOptionKind[]): RequestPermissionResponse => {
      const [option] = kinds.flatMap((kind) => options.filter((offered) => offered.kind === kind))
      return {
        outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' },
      }
    }
    if (trusted) return choose('allow_once', 'allow_always')

    // The person must see everything that came before the request.
    progress.flush()
    const title = shorten(toolCall.title ?? toolCall.toolCallId)
    const decision = await clock.pauseFor(
      requestApproval({
        description: describe(name, title)[locale],
        args: {
          runner: name,
          tool: title,
          kind: toolCall.kind ?? 'other',
          input: toolCall.rawInput ?? null,
          locations: readLocations(toolCall),
        },
      }),
    )
    if (decision.approved) {
      const { for_thread } = decision
      // An approval of one call must not become a rule of the runner.
      return for_thread ? choose('allow_always', 'allow_once') : choose('allow_once')
    }
    note(`The user rejected: ${title}${decision.message ? ` (${shorten(decision.message)})` : ''}`)
    return choose('reject_once', 'reject_always')
  }
}
