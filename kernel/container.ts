// Without the search for modules in folders, whose packages take a tenth of a command's time to load.
import { asFunction, createContainer as createAwilix, InjectionMode } from 'awilix/browser'
import type { Cradle } from './types.ts'

/** A service and the plugin that declares it. */
export interface ServiceDeclaration {
  name: string
  owner: string
  factory: (cradle: Cradle) => unknown
}

/** Gives each plugin its own view of the services: its own, those of what it depends on, and the kernel's. */
export interface Container {
  /** The cradle of one plugin; reading a service that it may not use throws with both names. */
  cradleOf(plugin: string): Cradle
}

/** Makes the container; services are singletons, made on first use. */
export function createContainer({
  services,
  dependsOn,
  kernelServices,
}: {
  services: readonly ServiceDeclaration[]
  dependsOn: (plugin: string) => readonly string[]
  kernelServices: (plugin: string) => Record<string, unknown>
}): Container {
  const awilix = createAwilix({ injectionMode: InjectionMode.PROXY, strict: true })
  const owners = new Map(services.map(({ name, owner }) => [name, owner]))
  const cradles = new Map<string, Cradle>()

  const cradleOf = (plugin: string): Cradle => {
    const existing = cradles.get(plugin)
    if (existing) return existing
    const visible = new Set([plugin, ...dependsOn(plugin)])
    const own = kernelServices(plugin)
    const cradle = new Proxy(own, {
      get(_, name) {
        if (typeof name === 'symbol' || name in own) return own[name as string]
        const owner = owners.get(name)
        if (!owner)
          throw new Error(`plugin "${plugin}" asks for the service "${name}", which no plugin declares`)
        if (!visible.has(owner))
          throw new Error(
            `plugin "${plugin}" asks for "${name}" of plugin "${owner}" without depending on it`,
          )
        return awilix.resolve(name)
      },
    }) as unknown as Cradle
    cradles.set(plugin, cradle)
    return cradle
  }

  for (const { name, owner, factory } of services)
    awilix.register(name, asFunction(() => factory(cradleOf(owner))).singleton())
  return { cradleOf }
}
