/** The counts of the overview, which other plugins contribute. */
export interface OverviewCounts {
  agents: { running: number; stopped: number; starting: number; failed: number }
  /** The threads that are not being removed. */
  threads: number
  /** The turns that run at present, on any server. */
  turns_active: number
  channels: { connected: number; failed: number }
}

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
