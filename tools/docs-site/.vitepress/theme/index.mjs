// This theme has no web fonts, so readers load nothing beside the pages.
export { default } from 'vitepress/theme-without-fonts';
