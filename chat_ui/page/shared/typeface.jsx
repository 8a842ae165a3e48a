// The typeface is loaded with the page, before a stylesheet requests it.

import latin from "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2?url";

export const Typeface = () => <link rel="preload" as="font" type="font/woff2" crossOrigin="anonymous" href={latin} />;
