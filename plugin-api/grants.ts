import {
  AppError,
  defineRoute,
  type ErrorCode,
  type ExtensionPoints,
  type KernelServices,
  objectOf,
  type Route,
  rowOf,
  type TypeOf,
} from '#kernel'

const text = { type: 'string' } as const

/** The schema of what a grant allows. */
export const access = {
  title: 'Access',
  enum: ['use', 'edit'],
  description: '`edit` allows every change but to the grants, the owner, and to delete',
} as const

/** A list of grants as a client sends it; a name that a reply has added is ignored. */
export const grantList = {
  type: 'array',
  maxItems: 500,
  examples: [
    [
      { user: 'ada', access: 'edit', name: 'Ada Lovelace' },
      { group: 'grp_01KDVMF0000000000000000001', access: 'use', name: 'Sales' },
    ],
  ],
  items: {
    title: 'Grant',
    ...objectOf(
      {
        user: { ...text, minLength: 1, maxLength: 64, description: 'A username', examples: ['ada'] },
        group: { ...text, minLength: 1, maxLength: 64, description: 'The id or name of a group' },
        everyone: { const: true, description: 'All accounts of the server' },
        access,
        name: {
          ...text,
          maxLength: 128,
          description: 'For people; ignored in a request',
          examples: ['Ada Lovelace'],
        },
      },
      ['access'],
    ),
    oneOf: [{ required: ['user'] }, { required: ['group'] }, { required: ['everyone'] }],
  },
} as const

/** With whom a thing is shared, as the API shows it. */
export type Grants = TypeOf<typeof grantList>

/** A kind of things that can be shared, registered at `groups.shareables`, with the path of one of them. */
interface SharedPath {
  kind: string
  path: `/${string}/:${string}`
  /** The kind in ids of operations, and in texts. */
  title: string
  noun: string
  guard?: 'user' | 'admin'
  /** The error for a thing that the caller may not see. */
  missing: ErrorCode
}

/** Returns the two routes that show and change with whom things of a kind are shared. */
export function grantRoutes({
  kind,
  path,
  title,
  noun,
  guard = 'user',
  missing,
}: SharedPath): Route<KernelServices>[] {
  const name = path.slice(path.indexOf(':') + 1)
  const params = rowOf({ [name]: { ...text, maxLength: 256, description: `The id of ${noun}` } })
  const errors = [missing, 'FORBIDDEN'] as const
  const routes = { path: `${path}/grants`, params, response: { 200: grantList } } as const
  // Both guards add the caller.
  const guarded = { guard: guard as 'user' } as const

  return [
    defineRoute({
      ...routes,
      ...guarded,
      method: 'GET',
      operation_id: `get${title}Grants`,
      summary: `List with whom ${noun} is shared`,
      description: `Lists the people and groups with whom ${noun} is shared, for its owner, administrators, and people who can edit it.`,
      errors,
    }).handle(({ caller, params }, { extensions }) =>
      answer(extensions, { caller, kind, key: params[name]! }),
    ),

    defineRoute({
      ...routes,
      ...guarded,
      method: 'PUT',
      operation_id: `set${title}Grants`,
      summary: `Share ${noun}`,
      description: `Replaces the list of people and groups with whom ${noun} is shared, for its owner and administrators. An empty list is nobody else. Whoever is no longer in the list loses what is open and running within a second.`,
      body: grantList,
      errors: [...errors, 'SHARING_OFF', 'SHARING_LIMITED'],
      audit: { action: `${kind}.share`, target: name },
    }).handle(({ caller, params, body }, { extensions }) =>
      answer(extensions, { caller, kind, key: params[name]!, entries: body }),
    ),
  ]
}

async function answer(
  extensions: KernelServices['extensions'],
  question: Parameters<ExtensionPoints['users.grants']>[0],
): Promise<Grants> {
  const [grants] = await extensions['users.grants'].ask(question)
  // The plugin that keeps the rules of sharing is switched off.
  if (!grants) throw new AppError('NOT_FOUND')
  return grants
}
