import type { TypeOf } from '#kernel'
import type { Role } from '../users/types.ts'
import type { preview } from './schemas.ts'
import type { ClaimRule } from './types.ts'

type Claims = Readonly<Record<string, unknown>>

/** The role and permissions that rules result in; `matched` has the positions of the rules that apply. */
type RuleResult = Omit<TypeOf<typeof preview>, 'unknown_permissions'>

/** The maximum of elements of one claim that are compared. */
const MAX_ELEMENTS = 10_000

/**
 * Returns the role and permissions of an account with these claims. The rules decide on the role if any of them grants
 * one, and on every permission that any of them names; everything else stays as it was.
 */
export function applyRules(
  rules: readonly ClaimRule[],
  claims: Claims,
  { role, permissions }: { role: Role; permissions: readonly string[] },
): RuleResult {
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

/** Returns everything that the rules can grant. */
export function listGrants(rules: readonly ClaimRule[]): { role?: 'admin'; permissions: string[] } {
  return {
    ...(rules.some(({ role }) => role === 'admin') && { role: 'admin' }),
    permissions: [...new Set(rules.flatMap(({ permissions = [] }) => permissions))],
  }
}

function isMet({ claim, value }: ClaimRule, claims: Claims): boolean {
  const found = findClaim(claims, claim)
  const elements = Array.isArray(found) ? found.slice(0, MAX_ELEMENTS) : [found]
  return elements.some((element) => isScalar(element) && String(element) === value)
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** Returns the claim at a path. Each step tries the longest matching name first, because names may contain dots. */
function findClaim(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined
  if (Object.hasOwn(claims, path)) return (claims as Claims)[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    if (!Object.hasOwn(claims, name)) continue
    const found = findClaim((claims as Claims)[name], path.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}
