import type { OverviewRow } from './schemas.ts'

/** The counts of the overview, which other plugins contribute. */
export type OverviewCounts = Pick<OverviewRow, 'agents' | 'threads' | 'turns_active' | 'channels'> & {
  bytes: Partial<OverviewRow['bytes']>
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Counts for the overview; those of all plugins are added up. */
    'overview.counts': (asked: object) => Promise<Partial<OverviewCounts>>
  }
}
