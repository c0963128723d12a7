import { Menu } from '@mantine/core'
import type { ThreadRow } from '../chat/thread-list.ts'
import { t } from '../i18n/words.ts'
import { type Project, useProjects } from '../projects/projects.ts'
import { Check, Folder } from '../ui/icons.ts'

interface Props {
  thread: ThreadRow
  onMove(project: Project | undefined): void
}

/** The part of the menu of a conversation that moves it to a project; without projects there is none. */
export function MoveMenu({ thread: { project_id }, onMove }: Props) {
  const { rows: projects = [] } = useProjects()
  if (projects.length === 0) return null
  return (
    <Menu.Sub>
      <Menu.Sub.Target>
        <Menu.Sub.Item leftSection={<Folder size={14} />}>{t('conversations.move')}</Menu.Sub.Item>
      </Menu.Sub.Target>
      <Menu.Sub.Dropdown mah="50vh" style={{ overflowY: 'auto' }}>
        {projects.map((project) => (
          <Menu.Item
            key={project.id}
            disabled={project.id === project_id}
            rightSection={project.id === project_id && <Check size={14} />}
            onClick={() => onMove(project)}
          >
            {project.name}
          </Menu.Item>
        ))}
        {project_id !== null && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => onMove(undefined)}>{t('conversations.move_out')}</Menu.Item>
          </>
        )}
      </Menu.Sub.Dropdown>
    </Menu.Sub>
  )
}
