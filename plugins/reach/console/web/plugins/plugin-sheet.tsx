import { Alert, Button, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { joinNames, t } from '../i18n/words.ts'
import { refresh } from '../server/send.ts'
import { EditSheet } from '../ui/edit-sheet.tsx'
import { Trash2 } from '../ui/icons.ts'
import { SchemaForm } from '../ui/schema-form.tsx'
import type { Schema } from '../ui/schema-form-schema.ts'
import { Sheet } from '../ui/sheet.tsx'
import { Values } from '../ui/values.tsx'
import { BUILT_IN, listBrought, type Plugin, readPlugin, updatePlugin } from './plugins.ts'
import { RemovePlugin } from './remove-plugin.tsx'

interface Props {
  plugin: Plugin
  /** True if the server lets administrators remove packages. */
  mayRemove: boolean
  onClose(): void
}

/** A plugin: what it is and brings, its switch, and its settings as a form. */
export function PluginSheet({ plugin, mayRemove, onClose }: Props) {
  const { name, state } = plugin
  if (state === 'added' || state === 'removed')
    return (
      <Sheet title={name} onClose={onClose} width={560}>
        <Facts plugin={plugin} />
        <Text size="sm">{t(state === 'added' ? 'plugins.added_about' : 'plugins.removed_about')}</Text>
      </Sheet>
    )
  return (
    <EditSheet
      title={name}
      id={`plugin ${name}`}
      read={() => readPlugin(name)}
      valuesOf={({ data }) => ({ enabled: data.enabled, config: data.config as Record<string, unknown> })}
      save={async ({ data, tag }, base, values) => {
        await updatePlugin(data, base, values, tag)
        await refresh('/admin/plugins')
      }}
      onClose={onClose}
    >
      {(values, onChange, { data }) => (
        <>
          {data.error && (
            <Alert color={data.state === 'failed' ? 'red' : 'gray'} variant="light">
              {data.error}
            </Alert>
          )}
          <Facts plugin={data} />
          <Switch
            label={t('plugins.enabled')}
            description={describeSwitch(data)}
            checked={values.enabled}
            disabled={values.enabled && !data.can_be_disabled}
            onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
          />
          <SettingsForm plugin={data} values={values.config} onChange={(config) => onChange({ config })} />
          {mayRemove && data.source !== BUILT_IN && <Removal plugin={data} onClose={onClose} />}
        </>
      )}
    </EditSheet>
  )
}

function describeSwitch({ name, enabled, can_be_disabled, needed_by }: Plugin): string {
  if (!enabled || can_be_disabled)
    return t(name === 'console' ? 'plugins.console_off' : 'plugins.switch_about')
  return needed_by.length > 0
    ? t('plugins.needed_by', { names: joinNames(needed_by) })
    : t('plugins.always_on')
}

interface FormProps {
  plugin: Plugin
  values: Record<string, unknown>
  onChange(values: Record<string, unknown>): void
}

/** The settings that can be changed here, and those that the environment fixes. */
function SettingsForm({ plugin: { name, config_schema, set_by }, values, onChange }: FormProps) {
  const schema = config_schema as Schema
  const fixed = Object.entries(set_by).filter(([path]) => path !== 'enabled')
  const names = Object.keys(schema.properties ?? {})
  if (names.length === 0)
    return (
      <Text size="sm" c="var(--meta)">
        {t('plugins.no_settings')}
      </Text>
    )
  return (
    <Stack gap="lg">
      <SchemaForm
        schema={schema}
        values={values}
        onChange={onChange}
        of={`plugin_${name.replaceAll('-', '_')}`}
        at="/config"
        without={fixed.map(([path]) => path.split('.')[0]!)}
        later={() => false}
      />
      {fixed.length > 0 && (
        <Values
          of={Object.fromEntries(
            fixed.map(([path, source]) => [path, t('plugins.set_by', { name: source.replace(/^\w+ /, '') })]),
          )}
        />
      )}
    </Stack>
  )
}

function Facts({ plugin }: { plugin: Plugin }) {
  const { summary, source, version, depends } = plugin
  return (
    <Stack gap="xs">
      {summary && <Text size="sm">{summary}</Text>}
      <Text size="xs" c="var(--meta)" style={{ overflowWrap: 'anywhere' }}>
        {[
          source === BUILT_IN ? t('plugins.built_in') : source,
          version,
          depends.length > 0 && t('plugins.depends', { names: joinNames(depends) }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {listBrought(plugin).map(({ words, names }) => (
        <details key={words}>
          <Text component="summary" size="sm">
            {t(words, { count: names.length })}
          </Text>
          <Text size="xs" c="var(--meta)" component="ul" my={4} style={{ overflowWrap: 'anywhere' }}>
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </Text>
        </details>
      ))}
    </Stack>
  )
}

function Removal({ plugin, onClose }: { plugin: Plugin; onClose(): void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button
        variant="default"
        color="red"
        w="fit-content"
        leftSection={<Trash2 size={14} />}
        onClick={() => setAsking(true)}
      >
        {t('plugins.remove')}
      </Button>
      {isAsking && <RemovePlugin plugin={plugin} onRemoved={onClose} onClose={() => setAsking(false)} />}
    </>
  )
}
