import type { TypeOf } from '#plugin-api'
import type { Role } from '../users/types.ts'
import type { claimRule, preview } from './schemas.ts'

/** A rule that grants a role, permissions or groups, which are stored by their ids, to users with a claim of this value. */
export type ClaimRule = TypeOf<typeof claimRule>

type Claims = Readonly<Record<string, unknown>>

/** The role, permissions and groups that rules result in; `matched` has the positions of the rules that apply. */
type RuleResult = Omit<TypeOf<typeof preview>, 'unknown_permissions' | 'unknown_groups' | 'groups'> & {
  groups: string[]
}

/** The maximum of elements of one claim that are compared. */
const MAX_ELEMENTS = 10_000

/**
 * Returns the role, permissions and groups of an account with these claims. The rules decide on the role if any of them
 * grants one, and on every permission and group that any of them names; everything else stays as it was. So do rights that only rules
 * assign whose claims the service has left out as too large.
 */
export function applyRules(
  rules: readonly ClaimRule[],
  claims: Claims,
  { role, permissions, groups }: { role: Role; permissions: readonly string[]; groups: readonly string[] },
): RuleResult {
  const omitted = listOmitted(claims)
  const undecided = rules.flatMap((rule, index) => (isUndecided(rule, claims, omitted) ? [index] : []))
  const matched = rules.flatMap((rule, index) => (isMet(rule, claims) ? [index] : []))
  const met = matched.map((index) => rules[index]!)
  const open = undecided.map((index) => rules[index]!)
  const decide = (field: 'permissions' | 'groups', current: readonly string[]): string[] => {
    const listKeys = (some: readonly ClaimRule[]) => new Set(some.flatMap((rule) => rule[field] ?? []))
    const managed = listKeys(rules)
    const undecidedKeys = listKeys(open)
    const own = current.filter((key) => !managed.has(key) || undecidedKeys.has(key))
    return [...new Set([...own, ...listKeys(met)])].sort()
  }
  const isRoleOpen = open.some((rule) => rule.role === 'admin')
  const ruledRole = met.some((rule) => rule.role === 'admin') ? 'admin' : isRoleOpen ? role : 'user'
  return {
    role: rules.some((rule) => rule.role) ? ruledRole : role,
    permissions: decide('permissions', permissions),
    groups: decide('groups', groups),
    matched,
    undecided,
  }
}

/** True if a rule needs a claim that is missing and was not left out as too large. */
export function asksForMore(rules: readonly ClaimRule[], claims: Claims): boolean {
  const omitted = listOmitted(claims)
  return rules.some(
    (rule) => findClaim(claims, rule.claim) === undefined && !isUndecided(rule, claims, omitted),
  )
}

/** True if a rule asks for a claim that the service has left out, or for a part of it. */
const isUndecided = ({ claim }: ClaimRule, claims: Claims, omitted: readonly string[]): boolean =>
  omitted.some((name) => claim === name || claim.startsWith(`${name}.`)) && !hasValue(claims, claim)

const hasValue = (claims: Claims, claim: string) => {
  const value = findClaim(claims, claim)
  return value !== undefined && !isReference(value, claims)
}

/**
 * Lists the claims that a service has left out as too large: Entra and ADFS refer to another source (OpenID Connect Core
 * 5.6.2), or only tell of groups.
 */
function listOmitted(claims: Claims): string[] {
  const { _claim_names, hasgroups } = claims
  const names = Object.keys(readRecord(_claim_names))
  const references = Object.keys(claims).filter((name) => isReference(claims[name], claims))
  const keys = Object.keys(claims).flatMap((name) => /^(\w+):src\d+$/.exec(name)?.[1] ?? [])
  const groups = [true, 'true'].includes(hasgroups as never) ? ['groups'] : []
  return [...new Set([...names, ...references, ...keys, ...groups])]
}

/** True if the value of a claim is only the name of a source. */
const isReference = (value: unknown, { _claim_sources }: Claims) =>
  typeof value === 'string' && /^src\d+$/.test(value) && Object.hasOwn(readRecord(_claim_sources), value)

/** Reads an object, which Entra also sends as a text. */
function readRecord(value: unknown): Claims {
  try {
    return Object(typeof value === 'string' ? JSON.parse(value) : value) as Claims
  } catch {
    // Some other text names no claims.
    return {}
  }
}

/** Returns everything that the rules can grant. */
export function listGrants(rules: readonly ClaimRule[]): {
  role?: 'admin'
  permissions: string[]
  groups: string[]
} {
  return {
    ...(rules.some(({ role }) => role === 'admin') && { role: 'admin' }),
    permissions: [...new Set(rules.flatMap(({ permissions = [] }) => permissions))],
    groups: [...new Set(rules.flatMap(({ groups = [] }) => groups))],
  }
}

function isMet({ claim, value }: ClaimRule, claims: Claims): boolean {
  const claimValue = findClaim(claims, claim)
  const elements = Array.isArray(claimValue) ? claimValue.slice(0, MAX_ELEMENTS) : [claimValue]
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
    const part = findClaim((claims as Claims)[name], path.slice(dot + 1))
    if (part !== undefined) return part
  }
  return undefined
}
