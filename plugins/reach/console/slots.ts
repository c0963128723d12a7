import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Pages } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { protect } from './page.ts'
import { addressOf } from './slot-form.ts'
import { isInside, locateModule, type SlotModule } from './slot-module.ts'
import type { ConsoleSlot } from './types.ts'

/** The address of the modules of plugins; the plugin's name follows, and the path in its folder. */
const PATH = '/console-slots/'

/** The modules by their entries; each is located once. */
const located = new WeakMap<ConsoleSlot, SlotModule>()

function locateOnce(entry: ConsoleSlot, folder: string): SlotModule {
  const module = located.get(entry) ?? locateModule(entry.module, folder)
  located.set(entry, module)
  return module
}

/** Lists the entries of all plugins, each with its plugin and module. */
function listEntries({ extensions }: Pick<Cradle, 'extensions'>) {
  const point = extensions['console.slots']
  return point.names().map((key) => {
    const entry = point.get(key)!
    return { entry, plugin: point.owner(key)!, module: locateOnce(entry, point.folder(key)!) }
  })
}

/** Lists what plugins add to the console, as the console reads it. */
export async function listSlots(cradle: Pick<Cradle, 'extensions' | 'log'>) {
  const entries = listEntries(cradle)
  const offers = await Promise.all(entries.map((listed) => isOffered(listed, cradle)))
  return entries
    .filter((_, index) => offers[index])
    .map(({ entry, plugin, module }) => ({
      slot: entry.slot,
      plugin,
      module: `${PATH}${plugin}/${module.name}`,
      label: entry.label ?? null,
      icon: entry.icon ?? null,
      when: { permission: entry.when?.permission ?? null, role: entry.when?.role ?? null },
      path: addressOf(entry, plugin),
    }))
}

/** True if an entry can work now; an entry that cannot say it is left out. */
async function isOffered(
  { entry, plugin }: { entry: ConsoleSlot; plugin: string },
  { log }: Pick<Cradle, 'log'>,
): Promise<boolean> {
  try {
    return (await entry.isOffered?.()) ?? true
  } catch (error) {
    log.warn({ error, plugin, slot: entry.slot }, 'a slot of the console is left out')
    return false
  }
}

/** The modules of plugins, and the files beside them. */
export const slotModules: Pages<Cradle> = {
  path: PATH,
  locate(name, cradle) {
    const [plugin, ...parts] = name.split('/')
    for (const { module, plugin: owner } of listEntries(cradle)) {
      const path = join(module.root, ...parts)
      // Real paths, since a link in the folder may lead out of it.
      if (owner === plugin && existsSync(path) && isInside(realpathSync(path), module.folder)) return path
    }
    return undefined
  },
  headers: protect,
}
