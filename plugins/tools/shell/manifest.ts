import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'shell',
  summary: 'The tools with which agents run programs on the server',
  config: {
    /** The longest time limit of one program. */
    max_seconds: { type: 'integer', minimum: 1, maximum: 86_400, default: 600 },
    /** The most programs that run at a time in this server process. */
    max_processes: { type: 'integer', minimum: 1, default: 8 },
    /** The most memory of one program with all that it starts; files in its `/tmp` count. */
    max_memory_mib: { type: 'integer', minimum: 64, default: 2048 },
    /** The most processes and threads of one program. */
    max_tasks: { type: 'integer', minimum: 8, default: 512 },
    /** The largest file that a program may write. */
    max_file_mib: { type: 'integer', minimum: 1, default: 1024 },
    /** The most that one program may write to the disk. */
    max_disk_mib: { type: 'integer', minimum: 1, default: 4096 },
    /** True if programs in the sandbox may use the network of the server, including what listens on `127.0.0.1`. */
    network: { type: 'boolean', default: false, operator: true },
    /** True if external agents and the programs of connectors may use it, which people have set up. */
    integrations_network: { type: 'boolean', default: true, operator: true },
    /** `auto`: used if bubblewrap works; `required`: programs are refused without it. */
    sandbox: { enum: ['auto', 'required', 'off'], default: 'auto', env: 'SVC_SANDBOX', operator: true },
    /** Further folders, by absolute paths, that programs in the sandbox may read. */
    sandbox_folders: {
      type: 'array',
      items: { type: 'string', pattern: '^/', examples: ['/opt/tools'] },
      default: [],
      operator: true,
    },
  },
  permissions: [
    {
      key: 'execute',
      category: 'control',
      label: { en: 'Run programs', zh: '运行程序' },
      description: {
        en: "Let agents run programs on the server: in a sandbox if the server has one, otherwise with all permissions of the server's system user. Grant it to trusted accounts only.",
        zh: '允许智能体在服务器上运行程序：服务器有沙箱时在沙箱中运行，否则拥有服务器系统用户的全部权限。请仅授予可信账号。',
      },
    },
  ],
})

declare module '#kernel/types' {
  interface Manifests {
    shell: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
