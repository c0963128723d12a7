import { AppError, deferSchema, type Issue, type JSONSchema, objectOf, type Validator } from '#plugin-api'
import type { DeclaredObject } from './declared-files.ts'
import { defaultOf, type ObjectKind } from './object-kinds.ts'
import { type ObjectReader, sortGrants, toModelEntry } from './object-reader.ts'
import { SentenceError } from './sentence-error.ts'
import type { Json, ServerApi } from './server-api.ts'

/** An object whose file is valid. */
export interface CheckedObject extends DeclaredObject {
  /** The content with the values of variables, and with the defaults of what the file leaves out. */
  form: Json
  key: string
  /** The paths of values that contain variables, as JSON pointers. */
  secretPaths: ReadonlySet<string>
}

const VARIABLE = /\$?\$\{([^}]*)\}/g
const text = { type: 'string', minLength: 1, maxLength: 256 } as const
const names = { type: 'array', items: text, maxItems: 50, uniqueItems: true } as const
const agentName = { type: 'string', pattern: '^[^/]+/[^/]+$' } as const
const connectors = {
  type: 'array',
  maxItems: 50,
  items: objectOf(
    {
      name: text,
      tools: {
        type: 'object',
        additionalProperties: objectOf({
          enabled: { type: 'boolean' },
          approval: { enum: ['ask', 'allow', 'deny'] },
        }),
      },
    },
    ['name'],
  ),
} as const
const tools = { type: 'object', additionalProperties: { type: 'boolean' } } as const

/** Checks all objects against the schemas of the routes and of the kinds, and against each other. */
export async function checkObjects(
  objects: readonly DeclaredObject[],
  {
    api,
    reader,
    env,
    problems,
  }: { api: ServerApi; reader: ObjectReader; env: NodeJS.ProcessEnv; problems: string[] },
): Promise<CheckedObject[]> {
  const document = (await api.find<ApiDocument>('/openapi.json')) ?? fail()
  const validators = new Map<string, Validator>()
  const validatorOf = (key: string, schema: () => JSONSchema): Validator => {
    const validator = validators.get(key) ?? deferSchema(schema(), 'json')
    validators.set(key, validator)
    return validator
  }
  const report = (object: DeclaredObject, path: readonly (string | number)[], message: string) =>
    void problems.push(`${object.placeOf(path)}: ${[path.join('.'), message].filter(Boolean).join(' ')}`)
  const validate = (object: DeclaredObject, validator: Validator, value: unknown, below: string[] = []) => {
    try {
      validator(value)
      return true
    } catch (error) {
      const issues = (error instanceof AppError && (error.details.issues as Issue[] | undefined)) || undefined
      if (!issues) throw error
      for (const { path, message } of issues) report(object, [...below, ...toPath(path)], message)
      return false
    }
  }

  const checked: CheckedObject[] = []
  for (const object of objects) {
    const { kind, raw } = object
    const secretPaths = new Set<string>()
    const form = kind.config ? (fillIn(object, env, secretPaths, report) as Json) : structuredClone(raw)
    if (
      !validate(
        object,
        validatorOf(kind.name, () => schemaOf(kind, document)),
        form,
      )
    )
      continue
    if (kind.config && !(await checkConfig(object, form, kind.config))) continue
    if (kind.name === 'agent') form.owner = object.file.split('/')[1]
    for (const field of kind.fields) form[field] ??= defaultOf(kind, field)
    for (const field of Object.keys(kind.references)) form[field] ??= []
    if (kind.name === 'agent')
      Object.assign(form, {
        connectors: form.connectors ?? [],
        tools: form.tools ?? {},
        stopped: form.stopped ?? false,
      })
    if (kind.grants) form.grants = sortGrants((form.grants as Json[] | undefined) ?? kind.grants(form))
    if (form.models) form.models = (form.models as Json[]).map(toModelEntry)
    checked.push({ ...object, form, key: kind.keyOf(form), secretPaths })
  }
  reportTwins(checked, problems)
  await checkReferences(checked)
  return checked

  async function checkConfig(
    object: DeclaredObject,
    form: Json,
    { field, kinds }: NonNullable<ObjectKind['config']>,
  ) {
    const kind = (await reader.once(kinds)).find((row) => row.kind === form.kind)
    if (!kind) {
      report(object, ['kind'], `"${form.kind}" is not a kind of this server`)
      return false
    }
    const { required, ...schema } = kind.config_schema as JSONSchema
    const isDraft = form.enabled === false
    const validator = validatorOf(`${kinds}:${form.kind}:${isDraft}`, () =>
      isDraft || !required ? schema : { ...schema, required },
    )
    return validate(object, validator, form[field] ?? {}, [field])
  }

  async function checkReferences(all: readonly CheckedObject[]): Promise<void> {
    const declared = (name: string) => all.filter(({ kind }) => kind.name === name)
    const rowNames = async (path: string) => (await reader.once(path)).map(({ name }) => String(name))
    const agents = new Set([
      ...declared('agent').map(({ key }) => key),
      ...(await reader.listAgents()).map(reader.agentName),
    ])
    const connectorNames = [
      ...declared('connector').map(({ key }) => key),
      ...(await rowNames('/connectors')),
    ]
    const groups = [
      ...declared('group').map(({ form }) => String(form.name)),
      ...(await rowNames('/groups')),
    ].map(toKey)
    const bases = await rowNames('/knowledge-bases')
    const people = new Map<string, Promise<boolean>>()
    const isPerson = (name: string) => {
      const answer = people.get(name) ?? api.find(`/users/${encodeURIComponent(name)}`).then(Boolean)
      people.set(name, answer)
      return answer
    }
    for (const object of all) {
      const { form } = object
      const missing = (path: (string | number)[], what: string, name: unknown) =>
        report(object, path, `names the ${what} "${name}", which does not exist`)
      if (form.agent !== undefined && !agents.has(String(form.agent))) missing(['agent'], 'agent', form.agent)
      if (object.kind.name === 'agent' && !(await isPerson(String(form.owner))))
        missing([], 'account', form.owner)
      for (const [field, { to }] of Object.entries(object.kind.references))
        for (const [index, name] of (form[field] as string[]).entries()) {
          const existing = to === 'connector' ? connectorNames : bases
          const count = existing.filter((other) => other === name).length
          if (count === 0) missing([field, index], to.replace('_', ' '), name)
          if (to === 'knowledge_base' && count > 1)
            report(object, [field, index], `names one of several knowledge bases "${name}"`)
        }
      if (object.kind.name === 'agent')
        for (const [index, { name }] of (form.connectors as Json[]).entries())
          if (!connectorNames.includes(String(name)))
            missing(['connectors', index, 'name'], 'connector', name)
      for (const [index, { user, group }] of ((form.grants ?? []) as Json[]).entries()) {
        if (group !== undefined && !groups.includes(toKey(String(group))))
          missing(['grants', index], 'group', group)
        if (user !== undefined && !(await isPerson(String(user)))) missing(['grants', index], 'account', user)
      }
    }
  }
}

const toKey = (name: string) => name.normalize('NFKC').trim().toLowerCase()
const toPath = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))

interface ApiDocument {
  paths: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: JSONSchema } } } } }
  >
  components: { schemas: Record<string, JSONSchema> }
}

function fail(): never {
  throw new SentenceError(
    'The server does not describe its API, which svc apply needs: switch its plugin api-docs on',
  )
}

/** Returns the schema of a file: the fields of the API that files have, and the names that they use in place of ids. */
function schemaOf(kind: ObjectKind, { paths, components }: ApiDocument): JSONSchema {
  const path = paths[kind.schemaPath]
  if (!path)
    throw new SentenceError(`The server has no ${kind.folder}: the plugin that brings them is switched off`)
  const inline = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(inline)
    if (typeof schema !== 'object' || schema === null) return schema
    const { $ref, discriminator, ...others } = schema as Json
    if (typeof $ref === 'string') return inline({ ...components.schemas[$ref.split('/').at(-1)!], ...others })
    return Object.fromEntries(Object.entries(others).map(([name, part]) => [name, inline(part)]))
  }
  const body = inline(path.post.requestBody.content['application/json'].schema) as JSONSchema
  const properties = body.properties as Json
  const grants = paths['/agents/{id}/grants'] as unknown as
    | { put: ApiDocument['paths'][string]['post'] }
    | undefined
  const isBelow = kind.isBelowAgent || kind.name === 'expert'
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(kind.fields.map((field) => [field, properties[field]])),
      ...Object.fromEntries(Object.keys(kind.references).map((field) => [field, names])),
      ...(isBelow && { agent: agentName }),
      ...(kind.name === 'agent' && { connectors, tools, stopped: { type: 'boolean' } }),
      ...(kind.grants && {
        grants: grants ? inline(grants.put.requestBody.content['application/json'].schema) : names,
      }),
    },
    required: [
      ...((body.required as string[] | undefined) ?? []),
      ...(isBelow ? ['agent'] : []),
      ...(kind.name === 'expert' ? ['name', 'slug'] : []),
    ],
    additionalProperties: false,
  }
}

/** Returns the content of a file with the values of variables, and reports those that are missing. */
function fillIn(
  object: DeclaredObject,
  env: NodeJS.ProcessEnv,
  secretPaths: Set<string>,
  report: (object: DeclaredObject, path: (string | number)[], message: string) => void,
): unknown {
  const replace = (value: unknown, path: (string | number)[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => replace(item, [...path, index]))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, part]) => [name, replace(part, [...path, name])]),
      )
    if (typeof value !== 'string') return value
    return value.replace(VARIABLE, (whole, name: string) => {
      if (whole.startsWith('$$')) return whole.slice(1)
      if (env[name]) {
        secretPaths.add(`/${path.join('/')}`)
        return env[name]
      }
      report(object, path, `needs the environment variable ${name}, which is not set`)
      return whole
    })
  }
  return replace(object.raw, [])
}

function reportTwins(objects: readonly CheckedObject[], problems: string[]): void {
  const firsts = new Map<string, string>()
  for (const { kind, key, file, placeOf } of objects) {
    const identity = `${kind.name} ${key}`
    const first = firsts.get(identity)
    if (first === undefined) firsts.set(identity, file)
    else problems.push(`${placeOf(['name'])}: declares the same ${kind.name} as ${first}`)
  }
}
