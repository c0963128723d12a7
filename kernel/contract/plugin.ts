import type { ErrorDefinition, ErrorTable } from '../errors.ts'
import { type LocalizedText, localizedText } from '../locale.ts'
import { compileSchema, type JSONSchema, objectOf, rowOf } from '../schema.ts'
import type { LimitSpec } from '../security/limits.ts'
import type { Events } from './additions.ts'
import type { Cradle } from './cradle.ts'
import { anyObject, compileFor, createFormCheck, filledText, text, texts } from './form.ts'
import type { Host } from './host.ts'
import { confine } from './isolation.ts'

/**
 * The number of the plugin contract, which a manifest names as `kernel`. It rises when code that was written for the
 * former number may stop working: because something of the contract in `docs/plugins.md` is removed or means something else.
 * Additions leave it as it is. What is to be removed is first marked `@deprecated` and works on through the whole next
 * number: code that compiles without such marks under one number runs under the next.
 */
const KERNEL_VERSION = 1

/** A right that can be granted to an account. */
export interface Permission {
  key: string
  category: string
  label: LocalizedText
  description: LocalizedText
  /** True if forms for new accounts and invites suggest it. Default: false. */
  is_suggested?: boolean
}

/** A heading in the documents of the API. */
export interface ApiTag {
  name: string
  order: number
  /** Markdown. */
  description: string
}

/** The description of a plugin, without its functions. */
export interface Manifest {
  name: string
  summary: string
  /** The heading of its routes in the documents of the API, where tags come by `order`; its name and last if missing. */
  tag?: ApiTag
  version?: string
  /** It runs even if it is switched off, and does less then; only for built-in plugins. */
  always?: true
  /** The version of the plugin contract that it was written for; a plugin from outside must name it. */
  kernel?: number
  /** Plugins that start before this one and whose services it may use. */
  depends?: readonly string[]
  /** Properties of the section `plugins.<name>` of the configuration, as JSON Schemas. */
  config?: Readonly<Record<string, JSONSchema>>
  permissions?: readonly Permission[]
  errors?: ErrorTable
  /** Its keys of the section `limits` of the configuration: what one account, address or connection may take. */
  limits?: Readonly<Record<string, LimitSpec>>
  /** The events that it emits; others listen to those that a manifest names. */
  events?: readonly (keyof Events)[]
}

/** Prints a line at the start of the server, e.g. the first password; a function receives the server's address. */
export type Announce = (label: string, text: string | ((url: string) => string)) => void

/** The functions of a plugin. `setup` only declares: it is synchronous and does no input or output. */
interface Hooks<Of extends Manifest> {
  setup(host: Host<Of>): void
  start?(cradle: Cradle<Of>, signal: AbortSignal): unknown
  /** Comes once every plugin has started, before the server listens; `announce` prints a line on the console of the server. */
  ready?(cradle: Cradle<Of>, announce: Announce): unknown
  /** Loads what the first use would wait for. Comes when `svc serve` has listened for a while; may come never. */
  warm?(cradle: Cradle<Of>): unknown
  stop?(cradle: Cradle<Of>, signal: AbortSignal): unknown
}

/** A plugin as the kernel runs it. */
export interface Plugin extends Manifest {
  setup(host: never): void
  start?(cradle: never, signal: AbortSignal): unknown
  ready?(cradle: never, announce: Announce): unknown
  warm?(cradle: never): unknown
  stop?(cradle: never, signal: AbortSignal): unknown
}

/** Declares a manifest; returns it unchanged, typed so that the type of the plugin's cradle follows. */
export const defineManifest = <const Of extends Manifest>(manifest: Of): Of => manifest

/** Declares a plugin; returns it unchanged. Its cradle and its host are typed by its manifest. */
export const definePlugin = <
  const Name extends string,
  const Depends extends readonly string[] = [],
  const Config extends NonNullable<Manifest['config']> = Record<never, JSONSchema>,
  const Errors extends ErrorTable = Record<never, ErrorDefinition>,
  const Limits extends NonNullable<Manifest['limits']> = Record<never, LimitSpec>,
>(
  plugin: Parts<Name, Depends, Config, Errors, Limits> & Hooks<Parts<Name, Depends, Config, Errors, Limits>>,
): Plugin => plugin

/** A manifest by the parts that types follow from. */
interface Parts<
  Name extends string,
  Depends extends readonly string[],
  Config extends NonNullable<Manifest['config']>,
  Errors extends ErrorTable,
  Limits extends NonNullable<Manifest['limits']>,
> extends Manifest {
  name: Name
  depends?: Depends
  config?: Config
  errors?: Errors
  limits?: Limits
}

const checkManifest = createFormCheck<Plugin>(
  objectOf(
    {
      name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,63}$' },
      summary: filledText,
      tag: rowOf({
        name: filledText,
        order: { type: 'number' },
        description: filledText,
      }),
      version: text,
      kernel: { const: KERNEL_VERSION },
      depends: texts,
      config: { type: 'object', additionalProperties: anyObject },
      permissions: {
        type: 'array',
        items: rowOf(
          {
            key: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
            category: text,
            label: localizedText,
            description: localizedText,
            is_suggested: { type: 'boolean' },
          },
          ['is_suggested'],
        ),
      },
      errors: {
        type: 'object',
        propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' },
        additionalProperties: objectOf(
          {
            status: { type: 'integer', minimum: 400, maximum: 599 },
            code: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
            level: { enum: ['debug', 'info', 'warn', 'error'] },
            message: localizedText,
          },
          ['status', 'message'],
        ),
      },
      limits: {
        type: 'object',
        propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
        additionalProperties: rowOf({
          default: { type: ['integer', 'string'], minimum: 1, pattern: '^[1-9][0-9]{0,8}(b|kb|mb|gb|tb)$' },
          description: filledText,
        }),
      },
      events: { type: 'array', items: { type: 'string', pattern: '^[a-z0-9_-]+\\.[a-z0-9_.-]+$' } },
      setup: true,
      start: true,
      ready: true,
      warm: true,
      stop: true,
      always: { const: true },
    },
    ['name', 'summary', 'setup'],
  ),
  ['setup', 'start', 'ready', 'warm', 'stop'],
)

/** Checks what a module exported; throws one readable sentence that says what is wrong. */
export function assertPlugin(candidate: unknown, isBuiltIn: boolean): Plugin {
  if (typeof candidate !== 'object' || candidate === null)
    throw new Error('its default export is not a manifest object')
  // Refuses what contains itself, which neither a check nor a compiler of schemas would end.
  if (!isBuiltIn) confine('', candidate)
  const { kernel } = candidate as { kernel?: unknown }
  if (kernel !== undefined && kernel !== KERNEL_VERSION)
    throw new Error(
      `its manifest says kernel: ${JSON.stringify(kernel)}, but this server has version ${KERNEL_VERSION} of the plugin contract`,
    )
  const plugin = checkManifest(candidate, 'its manifest')
  if (!isBuiltIn && plugin.always)
    throw new Error('its manifest says "always", but only a built-in plugin runs while it is switched off')
  if (!isBuiltIn && plugin.kernel === undefined)
    throw new Error(
      `its manifest does not say for which plugin contract it was written: add "kernel: ${KERNEL_VERSION}"`,
    )
  return plugin
}

/** Checks the schemas of a plugin's settings; throws one readable sentence. */
export function assertSettings({ config = {} }: Plugin): void {
  compileFor('its configuration', () => compileSchema(objectOf(config), 'json'))
  if (config.allow_hosts && config.allow_hosts.type !== 'array')
    throw new Error(
      'its setting allow_hosts must be of the type "array": it lists the hosts that host.fetch may reach',
    )
}
