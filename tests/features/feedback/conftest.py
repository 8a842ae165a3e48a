from tests.page.routes.conftest import me, whole_url

__all__ = ["me", "whole_url"]
