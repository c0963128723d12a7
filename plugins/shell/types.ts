/** The section `plugins.shell` of the configuration. */
export interface ShellConfig {
  /** The longest time limit of one program. */
  max_seconds: number
  /** The most programs that run at a time in this server process. */
  max_processes: number
  /** `auto`: where bubblewrap works; `required`: the plugin does not start without it. */
  sandbox: 'auto' | 'required' | 'off'
  /** Folders that programs in the sandbox may read besides the system; absolute paths. */
  sandbox_folders: string[]
}
