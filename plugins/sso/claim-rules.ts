import type { Role } from '../users/types.ts'
import type { ClaimRule } from './types.ts'

type Claims = Readonly<Record<string, unknown>>

/** What rules make of an account, and which of them, by their positions. */
export interface Verdict {
  role: Role
  permissions: string[]
  matched: number[]
}

/** The most of one claim that is looked at. */
const MAX_ELEMENTS = 10_000

/**
 * What an account with these claims is by the rules. With a rule that gives a role, the role is theirs to say; so is every
 * permission that is named in one. All else stays as it was.
 */
export function judge(
  rules: readonly ClaimRule[],
  claims: Claims,
  { role, permissions }: { role: Role; permissions: readonly string[] },
): Verdict {
  const matched = rules.flatMap((rule, index) => (isMet(rule, claims) ? [index] : []))
  const met = matched.map((index) => rules[index]!)
  const given = new Set(met.flatMap((rule) => rule.permissions ?? []))
  const managed = new Set(rules.flatMap((rule) => rule.permissions ?? []))
  const kept = permissions.filter((key) => !managed.has(key) || given.has(key))
  const ruledRole = met.some((rule) => rule.role === 'admin') ? 'admin' : 'user'
  return {
    role: rules.some((rule) => rule.role) ? ruledRole : role,
    permissions: [...new Set([...kept, ...given])].sort(),
    matched,
  }
}

/** All that the rules could give anybody. */
export function givenBy(rules: readonly ClaimRule[]): { role?: 'admin'; permissions: string[] } {
  return {
    ...(rules.some(({ role }) => role === 'admin') && { role: 'admin' }),
    permissions: [...new Set(rules.flatMap(({ permissions = [] }) => permissions))],
  }
}

function isMet({ claim, value }: ClaimRule, claims: Claims): boolean {
  const found = claimAt(claims, claim)
  const elements = Array.isArray(found) ? found.slice(0, MAX_ELEMENTS) : [found]
  return elements.some((element) => isScalar(element) && String(element) === value)
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** The claim at a path. At each step the longest name that there is goes first, as names may have dots themselves. */
function claimAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    if (!Object.hasOwn(claims, name)) continue
    const found = claimAt((claims as Claims)[name], path.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}
