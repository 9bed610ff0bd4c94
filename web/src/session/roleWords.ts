import { wordbook } from '@/i18n'

/** Plain words for the ARIA roles of controls. */
export const roleWords = wordbook('role', {
  button: 'button',
  link: 'link',
  textbox: 'field',
  searchbox: 'search field',
  combobox: 'list',
  listbox: 'list',
  checkbox: 'checkbox',
  radio: 'radio',
  switch: 'switch',
  tab: 'tab',
  menuitem: 'menu item',
  option: 'option',
  spinbutton: 'number',
  slider: 'slider',
  clickable: 'element',
  file: 'file',
})
