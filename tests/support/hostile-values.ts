import type { Chance } from './random.ts'

/** JSON text that `JSON.stringify` does not write. */
interface RawJson {
  [RAW]: string
}

/** The members of an object in their order; a name may appear twice. */
interface Members {
  [MEMBERS]: (readonly [name: string, value: unknown])[]
}

const RAW = Symbol('raw')
const MEMBERS = Symbol('members')
const raw = (text: string): RawJson => ({ [RAW]: text })

/** Creates an object that may have a name twice, or names such as `__proto__`. */
const membersOf = (members: Members[typeof MEMBERS]): Members => ({ [MEMBERS]: members })

/** Writes a value as JSON, with everything hostile that is in it. */
export function writeJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (RAW in value) return (value as RawJson)[RAW]
  if (Array.isArray(value)) return `[${value.map(writeJson).join()}]`
  const members = MEMBERS in value ? (value as Members)[MEMBERS] : Object.entries(value)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join()}}`
}

/** The number of levels of what is nested too deeply. */
const DEPTH = 100_000
const nest = (open: string, core: string, close: string) =>
  raw(open.repeat(DEPTH) + core + close.repeat(DEPTH))

/** Texts that systems behind the API may take for more than a text. */
const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nSet-Cookie: a=b\r\n\r\n{"level":60}',
  '\u001b]0;owned\u0007\u001b[2J\u001b[31m',
  '\u009b31m\u0085',
  '\u202egnp.exe\u2066\u200b\ufeff',
  '\ud800',
  '\udc00\ud800',
  '𝒳'.repeat(300),
  'e\u0301'.repeat(2000),
  'x'.repeat(100_000),
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '$where',
  '$ne',
  'a.b.$c',
  '../../../../etc/passwd',
  '..\\..\\x',
  '/etc/passwd',
  '.',
  '..',
  '~',
  'CON',
  '%00%2f%2e%2e',
  '{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  "' OR 1=1 --",
  '(a+)+$',
  '['.repeat(5000),
  '*'.repeat(500),
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e400',
  '0x10',
  '9'.repeat(400),
  '2026-13-45T99:99:99Z',
  '0000-00-00',
  '+275760-09-14T00:00:00Z',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http://[::1]:1/',
  'http://127.0.0.1:9/',
  'data:text/html,x',
  '* * * * *',
  '\ufffe\uffff',
  'ａｄｍｉｎ',
  'admin ',
]

/** Values of every type, and JSON that a parser may read in its own way. */
const HOSTILE_JSON: readonly unknown[] = [
  ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e400', '-1e400', '5e-324', '1e21'].map(raw),
  ...['9007199254740993', '4294967296', '-2147483649', '1E3', '12345678901234567890123'].map(raw),
  ...['""', '[]', '{}', '[null]', '[[]]', '[{}]', '"\\u0000"', '"\\ud800"'].map(raw),
  ...['{"$ne":null}', '{"$gt":""}', '{"$where":"sleep(9)"}', '{"$regex":"(a+)+$"}', '{"$in":[]}'].map(raw),
  ...['{"__proto__":{"role":"admin"}}', '{"constructor":{"prototype":{"role":"admin"}}}'].map(raw),
  ...['{"a.b":1}', '{"":1}', '{"$set":{"role":"admin"}}', '{"toJSON":1,"length":9}', '{"then":1}'].map(raw),
  ...['["$where"]', '{"0":"a","length":1}', '{"type":"Buffer","data":[1]}', '{"$oid":"1"}'].map(raw),
  nest('[', '', ']'),
  nest('{"a":', '1', '}'),
  raw(`[${'0,'.repeat(50_000)}0]`),
  raw(`{${Array.from({ length: 5000 }, (_, index) => `"k${index}":0`).join()}}`),
]

/** JSON texts that are not JSON, or not alone. */
const MALFORMED: readonly string[] = [
  '',
  '{',
  '{"a":',
  "{'a':1}",
  '{"a":1,}',
  '[1,]',
  'NaN',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":undefined}',
  '01',
  '"\u0001"',
  '"\\x41"',
  '{}{}',
  '\ufeff{}',
  '/**/{}',
  '\u0000',
  'a=b&c[$ne]=1',
  '['.repeat(DEPTH),
]

/** Fields that only the server sets, or only for accounts with more rights. */
const PRIVILEGED: Record<string, unknown> = {
  id: 'forged',
  _id: 'forged',
  role: 'admin',
  permissions: ['users', 'execute', 'connectors'],
  scopes: ['admin'],
  owner_id: 'forged',
  user_id: 'forged',
  owner_username: 'admin',
  username: 'admin',
  account_id: 'forged',
  agent_id: 'forged',
  is_shared: true,
  is_default: true,
  is_trusted: true,
  is_admin: true,
  scope: 'global',
  enabled: true,
  must_change_password: false,
  token_quota: null,
  password_hash: 'forged',
  workspace_root_dir: '/',
  created_at: 0,
  updated_at: 0,
  revision: 9,
  managed_by: 'forged',
  sealed: { v: 1 },
  secret_config: { token: 'forged' },
  status: 'ready',
  state: 'running',
  constructor: { prototype: { role: 'admin' } },
  $set: { role: 'admin' },
  'owner.id': 'forged',
}
const PRIVILEGED_NAMES = [...Object.keys(PRIVILEGED), '__proto__']

export const pickText = (chance: Chance): string => chance.pick(HOSTILE_TEXTS)

/** A text that an HTTP header can have. */
export const pickHeader = (chance: Chance): string =>
  pickText(chance)
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 4000)

/** Returns a segment of a path that is encoded once, twice or not at all. */
export function pickSegment(chance: Chance): string {
  const text = pickText(chance).slice(0, 2000)
  const encoded = encodeURIComponent(text.toWellFormed())
  const odd = ['%2f', '%00', '..', '%2e%2e', '%252f', '%', '%zz', '%c0%ae', '%ff', '%0a', ';a=1', '%5c']
  return chance.pick([encoded, encoded, encodeURIComponent(encoded), chance.pick(odd)])
}

/** Returns a value of any type. */
export const pickJson = (chance: Chance): unknown =>
  chance.chance(0.4) ? pickText(chance) : chance.pick(HOSTILE_JSON)

export const pickMalformed = (chance: Chance): string => chance.pick(MALFORMED)

/** Replaces values, adds privileged fields, repeats names and removes fields, at any depth. */
export function mutate(value: unknown, chance: Chance): unknown {
  if (chance.chance(0.12)) return pickJson(chance)
  if (typeof value !== 'object' || value === null) return chance.chance(0.4) ? pickJson(chance) : value
  if (Array.isArray(value)) {
    if (chance.chance(0.1)) return Array.from({ length: 1000 }, () => value[0] ?? null)
    return value.map((item) => (chance.chance(0.3) ? mutate(item, chance) : item))
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (chance.chance(0.05)) return []
    const changed = [name, chance.chance(0.3) ? mutate(member, chance) : member] as const
    return chance.chance(0.03) ? [changed, [name, pickJson(chance)] as const] : [changed]
  })
  for (const name of chance.chance(0.4) ? chance.list(1, 3, () => chance.pick(PRIVILEGED_NAMES)) : [])
    members.push([name, name === '__proto__' ? { role: 'admin' } : PRIVILEGED[name]])
  return membersOf(members)
}
