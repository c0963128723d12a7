import type { components } from '#client'
import { type Account, may } from '../session/account.ts'

/** A page that a plugin adds. */
export type PluginPage = components['schemas']['ConsolePage']

/** The pages of plugins that an account is offered. */
export const listPluginPages = (pages: readonly PluginPage[], account: Account): PluginPage[] =>
  pages.filter(({ permission }) => permission === null || may(account, permission))

/** The page of a plugin at an address, or above it. */
export const findPluginPage = (pages: readonly PluginPage[], path: string): PluginPage | undefined =>
  pages.find((page) => path === page.path || path.startsWith(`${page.path}/`))
