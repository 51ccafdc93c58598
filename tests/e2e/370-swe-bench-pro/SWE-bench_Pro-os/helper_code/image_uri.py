def get_dockerhub_image_uri(uid, dockerhub_username, repo_name=""):
    """Name the image as the real one does: by the instance, not by the data set's `dockerhub_tag`."""
    owner, name = repo_name.lower().split("/")
    instance = uid.replace("instance_", "").removesuffix("-vnan")
    return f"{dockerhub_username}/sweap-images:{f'{owner}.{name}-{instance}'[:128]}"
