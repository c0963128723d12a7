/** A figure at the moment. */
export interface Gauge {
  /** Begins with `svc_`. */
  name: string
  help: string
  /** Values from a fixed set: no ids, no names of people. */
  labels?: Readonly<Record<string, string>>
  value: number
}

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Returns figures of this moment when somebody reads the metrics. All gauges of a name have the same labels. */
    'metrics.gauges': (asked: object) => Promise<readonly Gauge[]> | readonly Gauge[]
  }
}
