import type { OverviewRow } from './schemas.ts'

/** The counts of the overview, which other plugins contribute. */
export type OverviewCounts = Pick<OverviewRow, 'agents' | 'threads' | 'turns_active' | 'channels'>

/** One server process; `_id` is its `node_id`, times are Unix seconds. */
export interface NodeDocument {
  _id: string
  host: string
  pid: number
  version: string
  started_at: number
  seen_at: number
  /** The time at which the process counts as gone unless it sends another heartbeat. */
  delete_at: Date
}

declare module '#kernel/types' {
  interface Collections {
    overview: {
      nodes: NodeDocument
    }
  }
  interface ExtensionPoints {
    /** Counts for the overview; those of all plugins are added up. */
    'overview.counts': (asked: object) => Promise<Partial<OverviewCounts>>
  }
}
