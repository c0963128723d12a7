import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/words.ts'
import { api } from '../server/client.ts'
import { Empty } from '../ui/empty.tsx'
import { Plus } from '../ui/icons.ts'
import { asRows, List } from '../ui/list.tsx'
import { ListRow } from '../ui/list-row.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { Page } from '../ui/page.tsx'
import { State } from '../ui/state.tsx'
import { InstallSheet } from './install-sheet.tsx'
import { PluginSheet } from './plugin-sheet.tsx'
import { BUILT_IN, describeBrought, describeState, type Plugin, sortPlugins } from './plugins.ts'
import { RestartNotice } from './restart-notice.tsx'

/** The plugins of this server, for administrators. */
export default function PluginsPage() {
  const plugins = api.useQuery('get', '/admin/plugins', {}, { staleTime: 0 })
  const [open, setOpen] = useState<Plugin>()
  const [isInstalling, setInstalling] = useState(false)
  const own = plugins.data?.find(({ name }) => name === 'plugins')
  const mayInstall = own?.needs_restart === false && own.config.install === true
  const install = mayInstall && (
    <Button leftSection={<Plus size={16} />} onClick={() => setInstalling(true)}>
      {t('plugins.install')}
    </Button>
  )
  return (
    <Page title={t('frame.plugins')} about={t('plugins.about')} actions={install}>
      <RestartNotice plugins={plugins.data ?? []} />
      <List
        {...asRows({ ...plugins, data: plugins.data && sortPlugins(plugins.data) })}
        label={t('frame.plugins')}
        keyOf={({ name, source }) => `${name} ${source}`}
        textOf={({ name, summary, source }) => `${name} ${summary} ${source}`}
        empty={<Empty title={t('frame.plugins')}>{t('plugins.about')}</Empty>}
      >
        {(plugin) => {
          const { tone, label } = describeState(plugin)
          return (
            <ListRow
              icon={<Monogram name={plugin.name} />}
              title={plugin.name}
              meta={
                <>
                  {plugin.error ?? plugin.summary}
                  <div>
                    {[
                      plugin.source !== BUILT_IN && t('plugins.from'),
                      plugin.source !== BUILT_IN && plugin.version,
                      describeBrought(plugin),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </div>
                </>
              }
              onOpen={() => setOpen(plugin)}
            >
              <State tone={tone}>{t(label)}</State>
            </ListRow>
          )
        }}
      </List>
      {open && <PluginSheet plugin={open} mayRemove={mayInstall} onClose={() => setOpen(undefined)} />}
      {isInstalling && <InstallSheet onClose={() => setInstalling(false)} />}
    </Page>
  )
}
