import type { Decision } from './frames.ts'

/** What `--approve` takes: everything that waits for approval is approved, or everything is rejected. */
export const APPROVAL_POLICIES = ['all', 'none'] as const

/** How calls are decided without asking a person. */
export type ApprovalPolicy = (typeof APPROVAL_POLICIES)[number]

const NOBODY = 'Rejected without being looked at: nobody is there to approve this or to answer.'

/** The policy of that name; throws where there is none. */
export function readPolicy(name: string | undefined): ApprovalPolicy | undefined {
  const policy = APPROVAL_POLICIES.find((candidate) => candidate === name)
  if (name !== undefined && !policy)
    throw new Error(`--approve takes ${APPROVAL_POLICIES.join(' or ')}, not "${name}".`)
  return policy
}

/** What a policy decides of a call; nothing of a question that only a person can answer. */
export function decideByPolicy(
  policy: ApprovalPolicy,
  allowed: readonly Decision['type'][],
): Decision | undefined {
  if (policy === 'none') return { type: 'reject', message: NOBODY }
  return allowed.includes('approve') ? { type: 'approve' } : undefined
}
