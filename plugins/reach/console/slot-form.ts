import { createFormCheck, localizedText, nameNearest } from '#plugin-api'
import { CONSOLE_SLOTS, type SlotName } from '#plugin-api/console'
import { locateModule } from './slot-module.ts'
import type { ConsoleSlot } from './types.ts'

/** The most characters that the data of an icon may have. */
const MAX_ICON_CHARS = 1000

const checkForm = createFormCheck<ConsoleSlot>(
  {
    type: 'object',
    properties: {
      slot: { enum: CONSOLE_SLOTS },
      module: { type: 'string', minLength: 1, maxLength: 1000 },
      label: localizedText,
      // Nothing but the commands and numbers of a path.
      icon: { type: 'string', pattern: '^[MmLlHhVvCcSsQqTtAaZz\\d ,.eE+-]+$', maxLength: MAX_ICON_CHARS },
      when: {
        type: 'object',
        properties: {
          permission: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
          role: { enum: ['user', 'assistant'] },
        },
        additionalProperties: false,
      },
      path: { type: 'string', pattern: '^(/[a-z0-9][a-z0-9-]*)+$', maxLength: 100 },
      isOffered: true,
    },
    required: ['slot', 'module'],
    additionalProperties: false,
  },
  ['isOffered'],
)

/** True for a slot whose entries are pages with an address of their own. */
const isPage = (slot: SlotName): boolean => slot === 'pages' || slot === 'admin.pages'

/** Returns the address of a page of a plugin; null for an entry of another slot. */
export const addressOf = ({ slot, path }: ConsoleSlot, plugin: string): string | null =>
  isPage(slot) ? (path ?? `/${plugin}`) : null

/** The folders that lead to the folder of a module. */
const LEADING_FOLDERS = /^file:.*\/(?=[^/]+\/[^/]+$)/

/** Returns the unique name of an entry: the address of a page, else its slot and module. */
export const nameSlot = (entry: ConsoleSlot, plugin: string): string =>
  addressOf(entry, plugin) ?? `${entry.slot} ${plugin}/${entry.module.replace(LEADING_FOLDERS, '')}`

/** Checks an entry of a plugin that is in a folder; throws one sentence. */
export function assertConsoleSlot(candidate: unknown, folder: string): ConsoleSlot {
  const { slot: name } = Object(candidate) as { slot?: unknown }
  if (typeof name === 'string' && !CONSOLE_SLOTS.some((slot) => slot === name))
    throw new Error(`"${name}" is not a slot of the console${nameNearest(name, CONSOLE_SLOTS)}`)
  const entry = checkForm(candidate, 'a slot of the console')
  const { slot, module, path, when } = entry
  if (path !== undefined && !isPage(slot))
    throw new Error(`a slot of the console is not valid: /path is for "pages" and "admin.pages" alone`)
  if (when?.role !== undefined && slot !== 'message.actions')
    throw new Error(`a slot of the console is not valid: /when/role is for "message.actions" alone`)
  locateModule(module, folder)
  return entry
}
