import { Alert, Checkbox, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { joinNames, t } from '../i18n/words.ts'
import { api, client } from '../server/client.ts'
import { useRows } from '../server/pages.ts'
import { refresh, send } from '../server/send.ts'
import { Empty } from '../ui/empty.tsx'
import { Sheet } from '../ui/sheet.tsx'

/** Copies skills of a package to an agent. */
export function SkillCopy({ agentId, onClose }: { agentId: string; onClose(): void }) {
  const { rows: packages } = useRows('/skill-packages', { query: { limit: 200 } })
  const [chosen, setChosen] = useState<string>()
  const [slugs, setSlugs] = useState<string[]>([])
  const [overwrite, setOverwrite] = useState(false)
  const [skipped, setSkipped] = useState<string[]>([])
  const package_id = chosen ?? packages?.[0]?.id

  const copy = async () => {
    const params = { path: { id: agentId, package_id: package_id! } }
    const body = { skill_slugs: slugs, overwrite }
    const { skipped } = await send(
      client.POST('/agents/{id}/skill-packages/{package_id}/copy', { params, body }),
    )
    await refresh('/agents/{id}/skills')
    setSkipped(skipped)
    if (skipped.length === 0) onClose()
  }

  return (
    <Sheet
      title={t('agents.skills_from_package')}
      canSave={slugs.length > 0}
      onSave={copy}
      saveLabel={t('agents.skills_copy')}
      closesOnSave={false}
      onClose={onClose}
    >
      {packages?.length === 0 ? (
        <Empty title={t('agents.no_packages')}>{t('agents.no_packages_about')}</Empty>
      ) : (
        <Select
          label={t('agents.package')}
          data={packages?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={package_id ?? null}
          allowDeselect={false}
          onChange={(id) => {
            setChosen(id ?? undefined)
            setSlugs([])
          }}
        />
      )}
      {package_id && <PackageSkills id={package_id} chosen={slugs} onChange={setSlugs} />}
      {slugs.length > 0 && (
        <Checkbox
          label={t('agents.skills_overwrite')}
          checked={overwrite}
          onChange={(event) => setOverwrite(event.currentTarget.checked)}
        />
      )}
      {skipped.length > 0 && (
        <Alert color="yellow" role="status">
          {t('agents.skills_skipped', { names: joinNames(skipped) })}
        </Alert>
      )}
    </Sheet>
  )
}

interface SkillsProps {
  id: string
  chosen: string[]
  onChange(slugs: string[]): void
}

function PackageSkills({ id, chosen, onChange }: SkillsProps) {
  const { data } = api.useQuery('get', '/skill-packages/{id}', { params: { path: { id } } })
  const skills = data?.skills ?? []
  if (data && skills.length === 0) return <Text size="sm">{t('agents.package_empty')}</Text>
  return (
    <Checkbox.Group value={chosen} onChange={onChange} label={t('agents.skills')}>
      <Stack gap="sm" mt="sm">
        {skills.map(({ slug, name, description }) => (
          <Checkbox key={slug} value={slug} label={name} description={description} size="sm" />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
