// Without the search for modules in folders, whose packages take a tenth of a command's time to load.
import { asFunction, createContainer as createAwilix, InjectionMode } from 'awilix/browser'
import type { SomeCradle } from '../contract/cradle.ts'
import { askForNearest } from '../nearest-name.ts'

/** A service and the plugin that declares it; others may use it only if it is provided. */
interface ServiceDeclaration {
  name: string
  owner: string
  isProvided: boolean
  factory: (cradle: SomeCradle) => unknown
}

/**
 * Creates each plugin's view of the services: its own, those that its dependencies provide, and the kernel's. Services
 * are singletons, created on first use.
 */
export function createContainer({
  services,
  dependsOn,
  kernelServices,
}: {
  services: readonly ServiceDeclaration[]
  dependsOn: (plugin: string) => readonly string[]
  kernelServices: (plugin: string) => Record<string, unknown>
}) {
  const awilix = createAwilix({ injectionMode: InjectionMode.PROXY, strict: true })
  const declared = new Map(services.map((service) => [keyOf(service), service]))
  const offers = new Map(
    services.filter(({ isProvided }) => isProvided).map(({ name, owner }) => [name, owner]),
  )
  const cradles = new Map<string, SomeCradle>()

  /** Returns the cradle of one plugin; reading a service that it may not use throws with both names. */
  const cradleOf = (plugin: string): SomeCradle => {
    const existing = cradles.get(plugin)
    if (existing) return existing
    const visible = new Set([plugin, ...dependsOn(plugin)])
    const shared = kernelServices(plugin)
    const listNames = () => [
      ...Object.keys(shared),
      ...services
        .filter((one) => one.owner === plugin || (one.isProvided && visible.has(one.owner)))
        .map(({ name }) => name),
    ]
    const resolve = (name: string) => {
      const owner = declared.has(keyOf({ owner: plugin, name })) ? plugin : offers.get(name)
      if (!owner) {
        const keeper = services.find((service) => service.name === name)
        throw new Error(
          `plugin "${plugin}" asks for the service "${name}", which ${keeper ? `plugin "${keeper.owner}" keeps to itself: host.provide would offer it` : `no plugin provides${askForNearest(name, listNames())}`}`,
        )
      }
      if (!visible.has(owner))
        throw new Error(`plugin "${plugin}" asks for "${name}" of plugin "${owner}" without depending on it`)
      return awilix.resolve(keyOf({ owner, name }))
    }
    const missing = new Proxy(
      {},
      {
        get(base, name) {
          if (typeof name === 'symbol' || name in base) return Reflect.get(base, name)
          const value = resolve(name)
          // Stored on the cradle, because handlers read their services for each request.
          Object.defineProperty(cradle, name, { value })
          return value
        },
      },
    )
    const cradle: object = Object.assign(Object.create(missing), shared)
    cradles.set(plugin, cradle as SomeCradle)
    return cradle as SomeCradle
  }

  for (const [key, { owner, factory }] of declared)
    awilix.register(key, asFunction(() => factory(cradleOf(owner))).singleton())
  return { cradleOf }
}

/** The key of a service: its name alone is unique only among those that are provided. */
const keyOf = ({ owner, name }: { owner: string; name: string }) => `${owner}.${name}`
