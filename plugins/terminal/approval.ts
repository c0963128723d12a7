import type { ActionRequest, ApprovalRequest, Decision } from './frames.ts'
import type { Prompt } from './prompt.ts'
import type { View } from './view.ts'

const LONGEST_MESSAGE = 8000

/** Makes the function that has a person decide the calls of a paused turn; nothing when they leave. */
export const createApproval =
  ({ prompt, view }: { prompt: Prompt; view: View }) =>
  async ({ action_requests, review_configs }: ApprovalRequest): Promise<Decision[] | undefined> => {
    const decisions: Decision[] = []
    for (const action of action_requests) {
      const config = review_configs?.find((candidate) => candidate.action_name === action.name)
      const isQuestion = config?.allowed_decisions.includes('respond') ?? false
      const decision = await (isQuestion ? respond(action) : review(action))
      if (!decision) return undefined
      decisions.push(decision)
    }
    return decisions

    async function respond(action: ActionRequest): Promise<Decision | undefined> {
      view.line(action.description || describe(action.args))
      const message = await prompt.ask('answer › ')
      return message === undefined
        ? undefined
        : { type: 'respond', message: message.slice(0, LONGEST_MESSAGE) }
    }

    async function review(action: ActionRequest): Promise<Decision | undefined> {
      view.line(`${action.name} asks for approval: ${describe(action.args)}`)
      if (action.description) view.note(action.description)
      for (;;) {
        const answer = (await prompt.ask('Allow it? yes, no, or no and why › '))?.trim()
        if (answer === undefined) return undefined
        if (/^y(es)?$/i.test(answer)) return { type: 'approve' }
        const refusal = /^no?(?:\s+(.+))?$/is.exec(answer)
        if (refusal)
          return { type: 'reject', ...(refusal[1] ? { message: refusal[1].slice(0, LONGEST_MESSAGE) } : {}) }
      }
    }
  }

/** All of it: nobody should approve what they were not shown. */
const describe = (args: unknown) => (typeof args === 'string' ? args : JSON.stringify(args, null, 2))

/** Has a person decide the calls of a paused turn. */
export type Approval = ReturnType<typeof createApproval>
