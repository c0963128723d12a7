import type {
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import type { Locale } from '#kernel'
import type { ToolContext } from '#plugin-api'
import type { Progress } from './progress.ts'
import type { OpenedRunner } from './types.ts'
import { brief, locationsOf } from './updates.ts'
import type { WorkClock } from './work-clock.ts'

const describe = (runner: string, title: string): Record<Locale, string> => ({
  en: `The external agent “${runner}” wants to go on with: ${title}`,
  zh: `外部智能体“${runner}”请求执行：${title}`,
})

/** Makes what answers a runner that asks whether it may; `note` tells the model what was refused. */
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

    // Whoever is asked has read what came before.
    progress.flush()
    const title = brief(toolCall.title ?? toolCall.toolCallId)
    const decision = await clock.standFor(
      requestApproval({
        description: describe(name, title)[locale],
        args: {
          runner: name,
          tool: title,
          kind: toolCall.kind ?? 'other',
          input: toolCall.rawInput ?? null,
          locations: locationsOf(toolCall),
        },
      }),
    )
    if (decision.approved) {
      const { for_thread } = decision
      // What was agreed to once does not become a rule of the runner's.
      return for_thread ? choose('allow_always', 'allow_once') : choose('allow_once')
    }
    note(`The user did not allow: ${title}${decision.message ? ` (${brief(decision.message)})` : ''}`)
    return choose('reject_once', 'reject_always')
  }
}
