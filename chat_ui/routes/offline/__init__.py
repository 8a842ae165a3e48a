"""The page without a network: its service worker, and copies of conversations that a browser keeps."""
